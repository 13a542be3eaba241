// As an app sees it: what only the library has would hide the codes.
import Settle
import Testing

@Suite struct CaughtErrorTests {
    struct Other: Error {}

    private func kind(of error: any Error) -> String {
        do {
            throw error
        } catch SettingsError.conflict {
            return "conflict"
        } catch SettingsError.closed, SettingsError.released {
            return "gone"
        } catch {
            return "another"
        }
    }

    @Test("An error is caught by its code") func codes() {
        #expect(kind(of: SettingsError(.conflict, "")) == "conflict")
        #expect(kind(of: SettingsError(.released, "")) == "gone")
        #expect(kind(of: SettingsError(.storage, "")) == "another")
        #expect(kind(of: Other()) == "another")
    }
}

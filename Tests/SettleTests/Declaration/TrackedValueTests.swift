import Observation
import Settle
import Testing

/// The value that bindings read.
@Suite(.timeLimit(.minutes(10))) struct TrackedValueTests {
    struct Size: Codable, Sendable, Equatable {
        var width = 80
    }

    struct WindowSettings: SettingsGroup {
        @Setting var title = ""
        @Setting var size = Size()
    }

    private func change(after read: () -> Void, then write: () -> Void) async {
        await withCheckedContinuation { continuation in
            withObservationTracking(read) { continuation.resume() }
            write()
        }
    }

    @Test("Reading the value of a binding, to a setting or a part, is tracked") func tracked() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(WindowSettings.self)
        await change {
            _ = settings.$title.trackedValue
        } then: {
            settings.title = "New"
        }
        await change {
            _ = settings.$size.width.trackedValue
        } then: {
            settings.size.width = 100
        }
        #expect(settings.$title.trackedValue == "New" && settings.$size.width.trackedValue == 100)
    }
}

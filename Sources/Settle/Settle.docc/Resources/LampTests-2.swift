import Settle
import SettleTesting
import Testing

@Suite struct LampTests {
    @Test("A brightness is changed in place") func brightness() {
        let settings = LampSettings()
        settings.brightness -= 10
        #expect(settings.brightness == 50)
    }

    @Test("A refused hour leaves the brightness as it was") func refusal() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let lamp = Lamp(store: store, settings: try await store.group(LampSettings.self))
        #expect(throws: SettingsError.self) { try lamp.set(brightness: 10, offAt: 99) }
        #expect(lamp.settings.brightness == 60)
    }
}

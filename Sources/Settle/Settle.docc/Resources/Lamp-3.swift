import Foundation
import Settle

struct Lamp {
    let store: SettingsStore
    let settings: LampSettings

    static func open(at file: URL) async throws -> Lamp {
        let store = try await SettingsStore.open(at: file)
        return Lamp(store: store, settings: try await store.group(LampSettings.self))
    }

    func dim() {
        settings.isOn = true
        settings.brightness -= 10
    }
}

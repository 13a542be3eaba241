// What an app writes, as the guide shows it. Only type-checked.
import Settle
import SettleUI
import SwiftUI

struct ProfileSettings: SettingsGroup {
    @Setting var name = ""
    @Setting var frame = Frame()

    struct Frame: Codable, Sendable, Equatable {
        var width = 80.0
    }
}

struct AccountSettings: SettingsGroup {
    @Setting(storedIn: .secrets) var token: Secret<String>?

    static func open() async throws -> SettingsStore {
        let list = SearchList([.keychain(service: "com.example.app"), .application])
        return try await SettingsStore.open("com.example.app", searching: list)
    }

    func signIn(_ store: SettingsStore, with token: String) async throws {
        try await store.domains[.secretStore].update { self.token = Secret(token) }
    }
}

struct ProfileView: View {
    let store: SettingsStore
    let settings: ProfileSettings

    var body: some View {
        Group {
            TextField("Name", text: settings.$name.binding)
            #if !os(tvOS)
                Slider(value: settings.$frame.width.binding, in: 10...400)
            #endif
            Text(settings.name)
        }
        .savesSettings(store)
    }
}

final class SceneDelegate {
    let store: SettingsStore

    init(store: SettingsStore) {
        self.store = store
    }

    func sceneDidEnterBackground() {
        store.saveInBackground()
    }
}

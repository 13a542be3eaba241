// What an app writes, as the guide shows it. Only type-checked.
import Foundation
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

    static func protect(_ folder: URL) throws {
        try FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: folder.path)
    }

    static func signIn(_ settings: AccountSettings) async throws -> SettingsStore {
        let list: SearchList = [.keychain(service: "com.example.app"), .application]
        let store = try await SettingsStore.open("com.example.app", searching: list)
        try await store.domains[.secretStore].update { settings.token = Secret("…") }
        return store
    }

    static func openShared() async throws -> SettingsStore {
        let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.com.example")
        let store = try await SettingsStore.open(at: container!.appending(path: "settings.json"))
        return store
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

struct ContentView: View {
    var body: some View { Text("") }
}

struct AppScene: Scene {
    let store: SettingsStore

    var body: some Scene {
        WindowGroup {
            ContentView().savesSettings(store)
        }
    }
}

/// Stands for the class of UIKit, which not all of the platforms have.
final class UIScene {}

final class SceneDelegate {
    let store: SettingsStore

    init(store: SettingsStore) {
        self.store = store
    }

    func sceneDidEnterBackground(_ scene: UIScene) {
        store.saveInBackground()
    }
}

final class ApplicationDelegate {
    let store: SettingsStore

    init(store: SettingsStore) {
        self.store = store
    }

    func applicationDidEnterBackground() {
        store.saveInBackground()
    }

    func applicationWillTerminate(_ notification: Notification) {
        try? store.flushAndWait()
    }
}

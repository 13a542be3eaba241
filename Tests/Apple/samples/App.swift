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

import Foundation
import Settle

struct Lamp {
    let store: SettingsStore
    let settings: LampSettings
}

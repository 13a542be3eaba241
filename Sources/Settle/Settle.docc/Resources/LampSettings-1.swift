import Settle

struct LampSettings: SettingsGroup {
    @Setting(title: "Lamp") var isOn = false
}

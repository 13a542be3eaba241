import Settle

struct LampSettings: SettingsGroup {
    @Setting(title: "Lamp") var isOn = false
    @Setting(in: 0...100, title: "Brightness", unit: "percent") var brightness = 60
}

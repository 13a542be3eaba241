import Settle

struct LampSettings: SettingsGroup {
    @Setting(title: "Lamp") var isOn = false
    @Setting(in: 0...100, title: "Brightness", unit: "percent") var brightness = 60
    let schedule = LampSchedule()
}

struct LampSchedule: SettingsGroup {
    static let presentation = GroupPresentation.section(title: "Schedule")
    @Setting(in: 0...23, title: "Off at", unit: "o'clock") var hour = 23
}

import Settle

extension Lamp {
    func set(brightness: Int, offAt hour: Int) throws {
        try settings.update {
            settings.brightness = brightness
            settings.schedule.hour = hour
        }
    }
}

import Settle

extension Lamp {
    func set(brightness: Int, offAt hour: Int) throws {
        try settings.update {
            settings.brightness = brightness
            settings.schedule.hour = hour
        }
    }

    func setSchedule(offAt hour: Int) async throws {
        try await settings.commit(author: "schedule") {
            settings.schedule.hour = hour
        }
    }
}

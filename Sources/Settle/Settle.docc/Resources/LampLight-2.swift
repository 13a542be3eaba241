import Settle

extension Lamp {
    func followBrightness(show: @Sendable (Int) -> Void) async {
        for await brightness in settings.$brightness {
            show(brightness)
        }
    }

    func followLight(show: @Sendable (Int) -> Void) async {
        for await light in settings.snapshots({ $0.isOn ? $0.brightness : 0 }) {
            show(light)
        }
    }
}

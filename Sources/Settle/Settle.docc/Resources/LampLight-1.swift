import Settle

extension Lamp {
    func followBrightness(show: @Sendable (Int) -> Void) async {
        for await brightness in settings.$brightness {
            show(brightness)
        }
    }
}

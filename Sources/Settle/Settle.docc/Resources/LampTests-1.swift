import Settle
import SettleTesting
import Testing

@Suite struct LampTests {
    @Test("A brightness is changed in place") func brightness() {
        let settings = LampSettings()
        settings.brightness -= 10
        #expect(settings.brightness == 50)
    }
}

import Settle
import SettlePanel

struct LampPage {
    let panel: SettingsPanel

    init(_ lamp: Lamp, access: SettingsPanel.Configuration.Access) {
        panel = SettingsPanel(
            lamp.store, groups: LampSettings.self,
            configuration: .init(title: "Lamp", path: "/settings", access: access))
    }

    func respond(to request: PanelRequest) async -> PanelResponse {
        await panel.respond(to: request)
    }
}

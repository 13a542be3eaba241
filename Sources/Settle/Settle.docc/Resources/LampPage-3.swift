import Settle
import SettleHTTP
import SettlePanel

struct LampPage {
    let panel: SettingsPanel

    init(_ lamp: Lamp, access: SettingsPanel.Configuration.Access) {
        panel = SettingsPanel(
            lamp.store, groups: LampSettings.self,
            configuration: .init(title: "Lamp", path: "/settings", access: access))
    }

    func respond(to request: WebRequest) async -> WebResponse {
        await panel.respond(to: request)
    }

    func link(for user: String) -> String {
        "http://127.0.0.1:8080" + panel.makeLink(for: user)
    }
}

import Settle
import SettleHTTP

extension PanelPages {
    /// Returns the effective values of a pane's settings as a JSON file, nested as in a settings file, without secrets.
    func json(pane id: String) -> PanelResponse {
        guard let pane = context.contents.pane(id) else { return missing }
        var tree = SettingTree()
        for control in pane.controls where !control.isSecret {
            let state = ControlState(of: control, in: panel.store)
            if let value = state.covering ?? state.value { tree[control.key] = value }
        }
        do {
            let headers = [
                (name: "Content-Type", value: "application/json; charset=utf-8"),
                (name: "Content-Disposition", value: "attachment; filename=\"settings.json\""),
            ]
            return PanelResponse(200, headers, .bytes(try FileFormat.json.encode(tree)))
        } catch {
            return problem(500, strings.english("\(error)"))
        }
    }
}

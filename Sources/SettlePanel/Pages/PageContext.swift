import Settle
import SettleHTTP

/// The data that every page of a request needs.
struct PageContext: Sendable {
    /// The path of the panel, without a slash at the end.
    let base: String
    /// The path of the files that all panels of a server share: the style sheet and the script.
    let files: String
    /// The token in forms, so that only a page of this session can send them.
    let formToken: String
    var contents: PanelContents
    let strings: PanelStrings
    /// The path of the page from which the user came, if a page of this origin led here.
    let origin: String?
    /// The path of the page with all panels, if there is one.
    let home: String?
    /// The browser's session; `nil` if there is none.
    let session: AdmittedSession?
    /// The version of the panel's own files; another version has other names.
    let assets: String
    /// The search whose words are marked, and to which a form returns; `nil` on other pages.
    var search: SettingsQuery?

    /// The title of the program, or of the list of programs. Never blank.
    var programTitle: String { contents.title.visible ?? strings("Settings") }

    func path(_ rest: String, _ query: KeyValuePairs<String, String> = [:]) -> String {
        path(rest, query.map { ($0.key, $0.value) })
    }

    func path(_ rest: String, _ query: [(String, String)]) -> String {
        var fields = query.map { "\($0.0)=\(PercentEncoding.encoded($0.1))" }
        if let origin { fields.append("return=\(PercentEncoding.encoded(origin))") }
        return "\(base)/\(rest)" + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))
    }

    func panePath(_ id: String) -> String {
        id.isEmpty ? path("") : path("pane", ["id": id])
    }

    /// Returns the path of the page to which a form returns: the results of the search that shows it, or its pane.
    func returnPath(pane id: String) -> String { search.map { path("search", $0.fields) } ?? panePath(id) }

    /// Returns the hidden fields of each form.
    func hiddenFields(_ fields: KeyValuePairs<String, String> = [:]) -> [HTML] {
        var fields = fields.map { ($0.key, $0.value) }
        fields.append(("form", formToken))
        if let origin { fields.append(("return", origin)) }
        fields += search?.fields ?? []
        return fields.map { name, value in
            HTML("input", ["type": "hidden", "name": .text(name), "value": .text(value)])
        }
    }
}

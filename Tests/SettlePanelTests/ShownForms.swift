import Settle
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The forms of a page, and what its script makes of events.
struct ShownForms {
    private(set) var forms: [String: HTMLNode] = [:]
    /// The keys of the forms in the last event.
    private(set) var sent: [String] = []

    init(_ page: PanelBrowser.Answer) {
        for form in page.text.matches(of: /<form class="control".*?<\/form>/.dotMatchesNewlines()) {
            add(HTMLNode(element: form.output))
        }
    }

    subscript(key: String) -> HTMLNode? { forms.values.first { $0.attributes["data-key"] == key } }

    func input(of key: String) -> String? {
        self[key]?.elements.first { $0.name == "input" && $0.attributes["name"] == "value" }?.attributes["value"]
    }

    private mutating func add(_ form: HTMLNode) { forms[form.attributes["id"] ?? ""] = form }

    mutating func show(_ piece: String) throws {
        sent = []
        for line in piece.split(separator: "\n") where line.hasPrefix("data: [") {
            guard case .array(let forms) = try SettingValue(json: Data(line.dropFirst(6).utf8)) else { continue }
            for case .string(let html) in forms {
                let form = HTMLNode(element: html)
                add(form)
                sent.append(form.attributes["data-key"] ?? "")
            }
        }
    }
}

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
    /// What the last event had.
    private(set) var wholes = 0
    private(set) var patches = 0
    /// Patches of another form than the page shows.
    private(set) var misfits = 0

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
        (wholes, patches) = (0, 0)
        for line in piece.split(separator: "\n") where line.hasPrefix("data: [") {
            guard case .array(let news) = try SettingValue(json: Data(line.dropFirst(6).utf8)) else { continue }
            for one in news {
                switch one {
                case .string(let html):
                    wholes += 1
                    add(HTMLNode(element: html))
                case .dictionary(let patch):
                    patches += 1
                    try apply(patch)
                default: Issue.record("\(one)")
                }
            }
        }
    }

    private mutating func apply(_ patch: SettingValue.Entries) throws {
        let form = try #require(forms[patch["id"].text])
        let elements = form.elements
        form.set("token", patch["token"].text)
        if patch["to"].text == form.attributes["data-mark"] { return }
        guard patch["from"].text == form.attributes["data-mark"], patch["elements"] == .integer(Int64(elements.count))
        else {
            misfits += 1
            return
        }
        guard case .array(let changes)? = patch["changes"] else { throw Unreadable() }
        for change in changes {
            guard case .array(let parts) = change, parts.count == 3, case .integer(let place) = parts[0] else {
                throw Unreadable()
            }
            let element = elements[Int(place)]
            switch (parts[1], parts[2]) {
            case (.string(let name), .null): element.attributes[name] = nil
            case (.string(let name), .string(let value)): element.attributes[name] = value
            case (.integer(let child), .string(let text)):
                let text = text
                #expect(element.children[Int(child)].name == nil)
                element.children[Int(child)].text = text
            default: throw Unreadable()
            }
        }
        form.set("seen", patch["seen"].text)
        form.attributes["data-mark"] = patch["to"].text
    }

    private struct Unreadable: Error {}
}

extension SettingValue? {
    fileprivate var text: String { if case .string(let text)? = self { text } else { "" } }
}

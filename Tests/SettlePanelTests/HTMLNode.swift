/// An element or a text of a page, read by hand, without anything of the library.
final class HTMLNode {
    /// `nil` for a text.
    let name: String?
    var text = ""
    var attributes: [String: String] = [:]
    var children: [HTMLNode] = []

    private init(name: String?) { self.name = name }

    /// Reads one element.
    convenience init(element html: some StringProtocol) {
        var rest = Substring(html)[...]
        self.init(reading: &rest)
    }

    private convenience init(reading rest: inout Substring) {
        guard rest.first == "<" else {
            self.init(name: nil)
            text = Self.unescaped(rest.prefix { $0 != "<" })
            rest = rest.drop { $0 != "<" }
            return
        }
        let tag = rest.dropFirst().prefix { $0 != ">" }
        rest = rest.dropFirst(tag.count + 2)
        let name = String(tag.prefix { $0 != " " })
        self.init(name: name)
        for attribute in tag.matches(of: #/ ([a-z-]+)(?:="([^"]*)")?/#) {
            attributes[String(attribute.1)] = Self.unescaped(attribute.2 ?? "")
        }
        if ["br", "img", "input", "link", "meta"].contains(name) { return }
        while !rest.isEmpty, !rest.hasPrefix("</") { children.append(HTMLNode(reading: &rest)) }
        rest = rest.dropFirst(name.count + 3)
    }

    private static func unescaped(_ text: Substring) -> String {
        String(text).replacing("&quot;", with: "\"").replacing("&lt;", with: "<").replacing("&#39;", with: "'")
            .replacing("&gt;", with: ">").replacing("&#13;", with: "\r").replacing("&amp;", with: "&")
    }

    /// The element and all in it, in the order of their tags.
    var elements: [HTMLNode] { name == nil ? [] : [self] + children.flatMap(\.elements) }

    /// The values of the hidden fields.
    var hidden: [(String, String)] {
        elements.filter { $0.attributes["type"] == "hidden" }
            .map { ($0.attributes["name"] ?? "", $0.attributes["value"] ?? "") }
    }

    func set(_ field: String, _ value: String) {
        elements.first { $0.attributes["type"] == "hidden" && $0.attributes["name"] == field }?
            .attributes["value"] = value
    }
}

extension HTMLNode: CustomStringConvertible {
    /// The same for two that are the same, whatever the order of their attributes.
    var description: String {
        guard let name else { return "“\(text)”" }
        return "<\(name) \(attributes.sorted { $0.key < $1.key })>\(children)"
    }
}

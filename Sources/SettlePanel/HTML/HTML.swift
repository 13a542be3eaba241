/// A piece of a page. It is made of elements with fixed names, and of text, which is always escaped: so no value, key or
/// title can become markup.
struct HTML: Sendable, Hashable {
    private(set) var text = ""

    init() {}

    /// Text as people read it.
    init(_ plain: String) {
        Self.append(plain, to: &text)
    }

    /// One piece after the other.
    init(_ parts: [HTML]) {
        for part in parts { text += part.text }
    }

    /// An element.
    ///
    /// - Parameters:
    ///   - name: The element's name, which is written in the code.
    ///   - attributes: Its attributes; those that are absent are left out.
    init(_ name: StaticString, _ attributes: Attributes = [:], @HTMLBuilder _ content: () -> HTML = { HTML() }) {
        // Appended piece by piece: interpolations make a text of their own each, and a form has hundreds.
        let name = name.description
        text.reserveCapacity(128)
        text += "<"
        text += name
        for (attribute, value) in attributes {
            if case .absent = value { continue }
            text += " "
            text += attribute.description
            guard case .text(let value) = value else { continue }
            text += "=\""
            Self.append(value, to: &text)
            text += "\""
        }
        text += ">"
        guard !Self.isVoid(name) else { return }
        text += content().text
        text += "</"
        text += name
        text += ">"
    }

    /// A whole document.
    static func document(language: String, isRightToLeft: Bool, @HTMLBuilder _ content: () -> HTML) -> HTML {
        var document = HTML()
        document.text = "<!DOCTYPE html>\n"
        document.text +=
            HTML("html", ["lang": .text(language), "dir": isRightToLeft ? "rtl" : "ltr"], content).text + "\n"
        return document
    }

    /// The element with one more attribute.
    func adding(_ attribute: StaticString, _ value: String) -> HTML {
        // In texts and values it is escaped, so the first one ends the element's tag.
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: ">")) else { return self }
        var element = HTML()
        element.text.reserveCapacity(text.utf8.count + value.utf8.count + 32)
        element.text += text[..<end]
        element.text += " "
        element.text += attribute.description
        element.text += "=\""
        Self.append(value, to: &element.text)
        element.text += "\""
        element.text += text[end...]
        return element
    }

    /// Whether an element has no content and no end.
    static func isVoid(_ name: String) -> Bool {
        switch name {
        case "br", "img", "input", "link", "meta": true
        default: false
        }
    }

    /// Asked for each byte of each text, so without a set, which would hash it.
    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"),
            UInt8(ascii: "\0"), UInt8(ascii: "\r"):
            true
        default: false
        }
    }

    private static func append(_ plain: String, to text: inout String) {
        // Nearly every text.
        if !plain.utf8.contains(where: isSpecial) { return text += plain }
        for scalar in plain.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            // No character of HTML; as the standard's parser has them.
            case "\0": text += "\u{FFFD}"
            // A parser makes a line feed of it.
            case "\r": text += "&#13;"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension HTML {
    typealias Attributes = KeyValuePairs<StaticString, Attribute>

    /// What an attribute is.
    enum Attribute: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        case text(String)
        /// It has no value.
        case present
        case absent

        init(stringLiteral text: String) { self = .text(text) }

        /// Present or absent.
        static func flag(_ isPresent: Bool) -> Attribute { isPresent ? .present : .absent }

        /// Absent without a text.
        static func optional(_ text: String?) -> Attribute { text.map { .text($0) } ?? .absent }
    }
}

/// Puts pieces together; a string among them is text.
@resultBuilder
enum HTMLBuilder {
    static func buildExpression(_ text: String) -> HTML { HTML(text) }
    static func buildExpression(_ html: HTML) -> HTML { html }
    static func buildExpression(_ html: HTML?) -> HTML { html ?? HTML() }
    static func buildExpression(_ parts: [HTML]) -> HTML { HTML(parts) }
    static func buildBlock(_ parts: HTML...) -> HTML { HTML(parts) }
    static func buildOptional(_ part: HTML?) -> HTML { part ?? HTML() }
    static func buildEither(first part: HTML) -> HTML { part }
    static func buildEither(second part: HTML) -> HTML { part }
    static func buildArray(_ parts: [HTML]) -> HTML { HTML(parts) }
}

/// A piece of a page. It is made of elements with fixed names, and of text, which is always escaped: so no value, key
/// or title can become markup.
struct HTML: Sendable, Hashable {
    /// In UTF-8.
    private(set) var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init() {}

    /// Text as people read it.
    init(_ plain: String) {
        append(text: plain)
    }

    /// One piece after the other.
    init(_ parts: [HTML]) {
        // Nearly always one, which needs no copy.
        bytes = parts.first?.bytes ?? []
        for part in parts.dropFirst() { bytes += part.bytes }
    }

    /// An element.
    ///
    /// - Parameters:
    ///   - name: The element's name, which is written in the code.
    ///   - attributes: Its attributes; those that are absent are left out.
    init(_ name: StaticString, _ attributes: Attributes = [:], @HTMLBuilder _ content: () -> HTML = { HTML() }) {
        // Appended piece by piece: interpolations make a text of their own each, and a form has hundreds.
        bytes.reserveCapacity(256)
        append(markup: "<")
        append(markup: name)
        for (attribute, value) in attributes {
            if case .absent = value { continue }
            append(markup: " ")
            append(markup: attribute)
            guard case .text(let value) = value else { continue }
            append(markup: "=\"")
            append(text: value)
            append(markup: "\"")
        }
        append(markup: ">")
        guard !Self.isVoid(name) else { return }
        bytes += content().bytes
        append(markup: "</")
        append(markup: name)
        append(markup: ">")
    }

    /// A whole document.
    static func document(language: String, isRightToLeft: Bool, @HTMLBuilder _ content: () -> HTML) -> HTML {
        var document = HTML()
        document.append(markup: "<!DOCTYPE html>\n")
        document.bytes +=
            HTML("html", ["lang": .text(language), "dir": isRightToLeft ? "rtl" : "ltr"], content).bytes
        document.append(markup: "\n")
        return document
    }

    /// The element with one more attribute, and with a piece before its content.
    func adding(_ attribute: StaticString, _ value: String, @HTMLBuilder _ content: () -> HTML) -> HTML {
        // In texts and values it is escaped, so the first one ends the element's tag.
        guard let end = bytes.firstIndex(of: UInt8(ascii: ">")) else { return self }
        let content = content()
        var element = HTML()
        element.bytes.reserveCapacity(bytes.count + value.utf8.count + content.bytes.count + 32)
        element.bytes += bytes[..<end]
        element.append(markup: " ")
        element.append(markup: attribute)
        element.append(markup: "=\"")
        element.append(text: value)
        element.append(markup: "\">")
        element.bytes += content.bytes
        element.bytes += bytes[(end + 1)...]
        return element
    }

    /// Whether an element has no content and no end.
    private static func isVoid(_ name: StaticString) -> Bool {
        name.withUTF8Buffer { name in voidElements.contains { $0.withUTF8Buffer { $0.elementsEqual(name) } } }
    }

    private static let voidElements: [StaticString] = ["br", "img", "input", "link", "meta"]

    /// Asked for each byte of each text, so without a set, which would hash it.
    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"),
            UInt8(ascii: "\0"), UInt8(ascii: "\r"):
            true
        default: false
        }
    }

    private mutating func append(markup: StaticString) {
        markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func append(text plain: String) {
        var plain = plain
        plain.withUTF8 { plain in
            // Nearly every text.
            if !plain.contains(where: Self.isSpecial) { return bytes.append(contentsOf: plain) }
            for byte in plain {
                switch byte {
                case UInt8(ascii: "&"): append(markup: "&amp;")
                case UInt8(ascii: "<"): append(markup: "&lt;")
                case UInt8(ascii: ">"): append(markup: "&gt;")
                case UInt8(ascii: "\""): append(markup: "&quot;")
                case UInt8(ascii: "'"): append(markup: "&#39;")
                // No character of HTML; as the standard's parser has them.
                case UInt8(ascii: "\0"): append(markup: "\u{FFFD}")
                // A parser makes a line feed of it.
                case UInt8(ascii: "\r"): append(markup: "&#13;")
                default: bytes.append(byte)
                }
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

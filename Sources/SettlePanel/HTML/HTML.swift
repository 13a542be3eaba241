/// A piece of a page. It is made of elements with fixed names and of text that is always escaped, so no value, key or
/// title can become markup.
struct HTML: Sendable, Hashable {
    /// The markup in UTF-8.
    private(set) var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init() {}

    /// Creates a piece from plain text.
    init(_ plain: String) {
        append(text: plain)
    }

    /// Concatenates pieces.
    init(_ parts: [HTML]) {
        // There is nearly always one, which needs no copy.
        bytes = parts.first?.bytes ?? []
        for part in parts.dropFirst() { bytes += part.bytes }
    }

    /// Creates an element.
    ///
    /// - Parameters:
    ///   - name: The element's name, a literal in the code.
    ///   - attributes: Its attributes; absent ones are left out.
    init(_ name: StaticString, _ attributes: Attributes = [:], @HTMLBuilder _ content: () -> HTML = { HTML() }) {
        // Append piece by piece: each interpolation makes a separate string, and a form has hundreds.
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

    /// Returns a whole document.
    static func document(language: String, isRightToLeft: Bool, @HTMLBuilder _ content: () -> HTML) -> HTML {
        var document = HTML()
        document.append(markup: "<!DOCTYPE html>\n")
        document.bytes +=
            HTML("html", ["lang": .text(language), "dir": isRightToLeft ? "rtl" : "ltr"], content).bytes
        document.append(markup: "\n")
        return document
    }

    /// Returns the element with one more attribute, and with a piece before its content.
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

    /// Returns whether an element has no content and no end tag.
    private static func isVoid(_ name: StaticString) -> Bool {
        name.withUTF8Buffer { name in voidElements.contains { $0.withUTF8Buffer { $0.elementsEqual(name) } } }
    }

    private static let voidElements: [StaticString] = ["br", "img", "input", "link", "meta"]

    /// Returns whether a byte must be escaped. It is called for each byte of each text, so without a set, which would
    /// hash it.
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
            // This applies to nearly every text.
            if !plain.contains(where: Self.isSpecial) { return bytes.append(contentsOf: plain) }
            for byte in plain {
                switch byte {
                case UInt8(ascii: "&"): append(markup: "&amp;")
                case UInt8(ascii: "<"): append(markup: "&lt;")
                case UInt8(ascii: ">"): append(markup: "&gt;")
                case UInt8(ascii: "\""): append(markup: "&quot;")
                case UInt8(ascii: "'"): append(markup: "&#39;")
                // It is not a character of HTML; replaced as by the standard's parser.
                case UInt8(ascii: "\0"): append(markup: "\u{FFFD}")
                // A parser converts it to a line feed.
                case UInt8(ascii: "\r"): append(markup: "&#13;")
                default: bytes.append(byte)
                }
            }
        }
    }
}

extension HTML {
    typealias Attributes = KeyValuePairs<StaticString, Attribute>

    /// The value of an attribute.
    enum Attribute: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        case text(String)
        /// The attribute has no value.
        case present
        case absent

        init(stringLiteral text: String) { self = .text(text) }

        /// Returns present or absent.
        static func flag(_ isPresent: Bool) -> Attribute { isPresent ? .present : .absent }

        /// Returns an attribute that is absent without a text.
        static func optional(_ text: String?) -> Attribute { text.map { .text($0) } ?? .absent }
    }
}

/// Concatenates pieces; a string among them is text.
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

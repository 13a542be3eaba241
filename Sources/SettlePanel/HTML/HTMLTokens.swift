/// The tags and texts of ``HTML``, one after the other.
struct HTMLTokens {
    enum Kind: Sendable { case start, end, text }

    typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    struct Token {
        let kind: Kind
        let bytes: Bytes
    }

    private var rest: Bytes

    init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func next() -> Token? {
        guard let first = rest.first else { return nil }
        let kind: Kind =
            if first != UInt8(ascii: "<") { .text } else if rest.dropFirst().first == UInt8(ascii: "/") { .end } else {
                .start
            }
        // In texts and values both are escaped.
        let end =
            kind == .text
            ? rest.firstIndex(of: UInt8(ascii: "<")) ?? rest.endIndex
            : rest.firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? rest.endIndex
        defer { rest = rest[end...] }
        return Token(kind: kind, bytes: rest[..<end])
    }
}

extension HTMLTokens.Token {
    /// The name of the element that a tag starts.
    var name: HTMLTokens.Bytes {
        bytes.dropFirst().prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ">") }
    }

    /// The attributes of a tag that starts an element, with their values as they are written; `nil` without one.
    var attributes: [(name: String, value: HTMLTokens.Bytes?)] {
        var attributes: [(name: String, value: HTMLTokens.Bytes?)] = []
        var rest = bytes.dropFirst(name.count + 1).dropLast()
        while rest.first == UInt8(ascii: " ") {
            rest = rest.dropFirst()
            let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: " ") }
            rest = rest.dropFirst(name.count)
            guard rest.first == UInt8(ascii: "=") else {
                attributes.append((String(decoding: name, as: UTF8.self), nil))
                continue
            }
            // The sign and the quotation mark.
            let value = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "\"") }
            rest = rest[value.endIndex...].dropFirst()
            attributes.append((String(decoding: name, as: UTF8.self), value))
        }
        return attributes
    }
}

extension HTML {
    /// The text that was escaped.
    static func unescaped(_ bytes: HTMLTokens.Bytes) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var (text, rest) = ([UInt8](), bytes)
        while let first = rest.first {
            let known = first == UInt8(ascii: "&") ? references.first { rest.starts(with: $0.text.utf8) } : nil
            text.append(known?.byte ?? first)
            rest = rest.dropFirst(known?.text.utf8.count ?? 1)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// What special characters are written as.
    private static let references: [(text: String, byte: UInt8)] = [
        ("&amp;", UInt8(ascii: "&")), ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")),
        ("&quot;", UInt8(ascii: "\"")), ("&#39;", UInt8(ascii: "'")), ("&#13;", UInt8(ascii: "\r")),
    ]
}

import Settle

/// Splits a settings file into tokens, apart from the library's own readers.
struct TextTokenizer {
    private let bytes: [UInt8]
    private var position = 0
    private var tokens: [TextToken] = []

    static func tokens(of bytes: [UInt8], _ format: FileFormat) throws -> [TextToken] {
        var tokenizer = TextTokenizer(bytes: bytes)
        if tokenizer.starts(with: "\u{FEFF}") { tokenizer.add(.other, 3) }
        while tokenizer.position < bytes.count {
            if tokenizer.addSpace() { continue }
            try format == .propertyListXML ? tokenizer.addMarkup() : tokenizer.addJSON()
        }
        return tokenizer.tokens
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func add(_ kind: TextToken.Kind, _ count: Int) {
        tokens.append(TextToken(kind: kind, bytes: Array(bytes[position..<(position + count)])))
        position += count
    }

    private func starts(with text: String, at offset: Int? = nil) -> Bool {
        bytes[(offset ?? position)...].starts(with: text.utf8)
    }

    private func run(_ belongs: (UInt8) -> Bool) -> Int {
        bytes[position...].prefix(while: belongs).count
    }

    /// The number of bytes up to the end of `end`.
    private func count(to end: String, from start: Int) throws -> Int {
        var offset = start
        while offset < bytes.count {
            if starts(with: end, at: offset) { return offset + end.utf8.count - position }
            offset += 1
        }
        throw TextSyntaxError(reason: "\(end) is missing", offset: position)
    }

    private mutating func addSpace() -> Bool {
        if starts(with: "\n") {
            add(.lineEnd, 1)
        } else if starts(with: "\r\n") {
            add(.lineEnd, 2)
        } else {
            var end = position
            while end < bytes.count, [0x20, 0x09, 0x0D].contains(bytes[end]), !starts(with: "\r\n", at: end) {
                end += 1
            }
            guard end > position else { return false }
            add(.space, end - position)
        }
        return true
    }
}

// MARK: JSON

extension TextTokenizer {
    private mutating func addJSON() throws {
        if starts(with: "//") {
            var count = run { $0 != 0x0A }
            if count < bytes.count - position, bytes[position + count - 1] == 0x0D { count -= 1 }
            return add(.comment, count)
        }
        if starts(with: "/*") { return add(.comment, try count(to: "*/", from: position + 2)) }
        switch Unicode.Scalar(bytes[position]) {
        case "{": add(.openObject, 1)
        case "}": add(.closeObject, 1)
        case "[": add(.openArray, 1)
        case "]": add(.closeArray, 1)
        case ",": add(.comma, 1)
        case ":": add(.colon, 1)
        case "\"": add(.scalar, try stringCount())
        default:
            let count = run { !Array(" \t\r\n{}[],:\"/".utf8).contains($0) }
            guard count > 0 else { throw TextSyntaxError(reason: "no token", offset: position) }
            add(.scalar, count)
        }
    }

    private func stringCount() throws -> Int {
        var end = position + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
        guard end < bytes.count else { throw TextSyntaxError(reason: "no end of the string", offset: position) }
        return end + 1 - position
    }
}

// MARK: XML

extension TextTokenizer {
    private mutating func addMarkup() throws {
        guard starts(with: "<") else { throw TextSyntaxError(reason: "no tag", offset: position) }
        if starts(with: "<!--") { return add(.comment, try count(to: "-->", from: position + 4)) }
        if starts(with: "<?") {
            return add(starts(with: "<?xml") ? .other : .comment, try count(to: "?>", from: position))
        }
        let tagCount = try count(to: ">", from: position)
        if starts(with: "<!") || starts(with: "<plist") || starts(with: "</plist") { return add(.other, tagCount) }
        let isEmpty = bytes[position + tagCount - 2] == UInt8(ascii: "/")
        let name = String(
            decoding: bytes[(position + 1)...].prefix { !Array(" \t\r\n>".utf8).contains($0) }, as: UTF8.self)
        switch name {
        case "dict" where !isEmpty: add(.openObject, tagCount)
        case "/dict": add(.closeObject, tagCount)
        case "array" where !isEmpty: add(.openArray, tagCount)
        case "/array": add(.closeArray, tagCount)
        default:
            let kind: TextToken.Kind = name == "key" || name == "key/" ? .key : .scalar
            add(kind, isEmpty ? tagCount : try elementCount(name, tagCount))
        }
    }

    private func elementCount(_ name: String, _ tagCount: Int) throws -> Int {
        var offset = position + tagCount
        while offset < bytes.count {
            if starts(with: "<![CDATA[", at: offset) {
                offset = position + (try count(to: "]]>", from: offset))
            } else if starts(with: "<!--", at: offset) {
                offset = position + (try count(to: "-->", from: offset + 4))
            } else if starts(with: "</", at: offset) {
                guard starts(with: "</\(name)", at: offset) else { break }
                return try count(to: ">", from: offset)
            } else {
                offset += 1
            }
        }
        throw TextSyntaxError(reason: "no end of <\(name)>", offset: position)
    }
}

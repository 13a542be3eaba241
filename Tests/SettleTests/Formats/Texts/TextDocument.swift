import Foundation
import Settle

/// A settings file with all its bytes: the tokens, and which of them are the objects and entries.
struct TextDocument {
    /// An object with its braces, or a `<dict>` with its tags. The numbers are indices of tokens. Both are the same for
    /// `<dict/>`, which is an object only at the root.
    struct Object {
        var open: Int
        var close = 0
        var entries: [Entry] = []

        var names: [String] { entries.map(\.name) }
        func entry(after entry: Entry) -> Entry? { entries.first { $0.key > entry.key } }
        func entry(_ name: String) -> Entry? { entries.first { $0.name.utf8.elementsEqual(name.utf8) } }
    }

    struct Entry {
        var name: String
        var key: Int
        var value: Value
        var comma: Int?
    }

    struct Value {
        var tokens: ClosedRange<Int>
        /// `nil` for anything but an object with braces or tags of its own.
        var object: Object?
        var value: SettingValue
    }

    let format: FileFormat
    let tokens: [TextToken]
    private(set) var root = Object(open: 0)
    private var index = 0

    init(_ bytes: [UInt8], _ format: FileFormat) throws {
        self.format = format
        tokens = try TextTokenizer.tokens(of: bytes, format)
        while index < tokens.count, tokens[index].isTrivia || tokens[index].kind == .other { index += 1 }
        let value = try readValue()
        guard let object = value.object ?? Self.emptyElement(value) else { throw error("no object") }
        root = object
        while index < tokens.count {
            guard tokens[index].isTrivia || tokens[index].kind == .other else {
                throw error("something behind the end")
            }
            index += 1
        }
    }

    private static func emptyElement(_ value: Value) -> Object? {
        guard value.value == .dictionary([:]) else { return nil }
        return Object(open: value.tokens.lowerBound, close: value.tokens.upperBound)
    }

    var tree: SettingTree { SettingTree(Self.entries(of: root)) }

    private static func entries(of object: Object) -> SettingValue.Entries {
        SettingValue.Entries(uniqueKeysWithValues: object.entries.map { ($0.name, $0.value.value) })
    }

    func text(_ range: Range<Int>) -> [UInt8] { tokens[range].flatMap(\.bytes) }

    private func error(_ reason: String) -> TextSyntaxError {
        TextSyntaxError(reason: reason, offset: tokens[..<min(index, tokens.count)].reduce(0) { $0 + $1.bytes.count })
    }

    /// Moves on to the next token that is not trivia, and returns its kind.
    private mutating func next() throws -> TextToken.Kind {
        while index < tokens.count, tokens[index].isTrivia { index += 1 }
        guard index < tokens.count else { throw error("the end is missing") }
        return tokens[index].kind
    }

    private mutating func readValue() throws -> Value {
        let start = index
        switch try next() {
        case .openObject:
            let object = try readObject()
            let value = SettingValue.dictionary(Self.entries(of: object))
            return Value(tokens: start...(index - 1), object: object, value: value)
        case .openArray:
            let end = try arrayEnd()
            index = end + 1
            return Value(tokens: start...end, value: try value(start...end))
        case .scalar:
            index += 1
            return Value(tokens: start...start, value: try value(start...start))
        default: throw error("no value")
        }
    }

    private func arrayEnd() throws -> Int {
        var depth = 0
        for end in index..<tokens.count {
            switch tokens[end].kind {
            case .openArray: depth += 1
            case .closeArray where depth == 1: return end
            case .closeArray: depth -= 1
            default: break
            }
        }
        throw error("no end of the array")
    }

    private mutating func readObject() throws -> Object {
        var object = Object(open: index)
        index += 1
        while true {
            if try next() == .closeObject { break }
            var entry = try readEntry()
            if try next() == .comma {
                entry.comma = index
                index += 1
            } else if format != .propertyListXML, try next() != .closeObject {
                throw error("no comma")
            }
            guard object.entry(entry.name) == nil else { throw error("a key twice") }
            object.entries.append(entry)
        }
        object.close = index
        index += 1
        return object
    }

    private mutating func readEntry() throws -> Entry {
        let key = index
        let isXML = format == .propertyListXML
        guard try next() == (isXML ? .key : .scalar) else { throw error("no key") }
        let name = try name(key)
        index += 1
        if !isXML {
            guard try next() == .colon else { throw error("no colon") }
            index += 1
        }
        _ = try next()
        return Entry(name: name, key: key, value: try readValue())
    }
}

// MARK: Values

extension TextDocument {
    private func name(_ token: Int) throws -> String {
        if format == .propertyListXML {
            let file = Array("<plist><dict>".utf8) + tokens[token].bytes + Array("<true/></dict></plist>".utf8)
            guard let name = try XMLPropertyListFormat().decode(file).root.keys.first else { throw error("no key") }
            return name
        }
        guard case .string(let name) = try value(token...token) else { throw error("a key without quotation marks") }
        return name
    }

    /// The value of tokens that are one, without an object's own braces around it.
    private func value(_ range: ClosedRange<Int>) throws -> SettingValue {
        if format == .propertyListXML {
            let file = Array("<plist><dict><key>a</key>".utf8) + text(range.lowerBound..<(range.upperBound + 1))
            let root = try XMLPropertyListFormat().decode(file + Array("</dict></plist>".utf8)).root
            guard let value = root["a"] else { throw error("no value") }
            return value
        }
        var plain: [TextToken] = []
        for token in tokens[range] where !token.isTrivia {
            let closes = token.kind == .closeArray || token.kind == .closeObject
            if closes, plain.last?.kind == .comma { plain.removeLast() }
            plain.append(token)
        }
        // A plain reader, so that comments and trailing commas are judged here alone.
        return try SettingValue(json: Data(plain.flatMap(\.bytes)))
    }
}

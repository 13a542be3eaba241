/// The reason why a file could not be read, or values could not be written, in a ``FileFormat``.
///
/// It has the position and keys, and never quotes a value: values may be secrets, and errors end up in logs.
public struct FormatError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The position of the error.
    public enum Place: Sendable, Hashable {
        /// In a text. Line and column count from 1; columns are Unicode scalars.
        case text(line: Int, column: Int)
        /// In a binary file. The offset counts from 0.
        case byte(Int)
        /// At a dotted key of the values to be written. Empty for all of them.
        case key(String)
    }

    /// An extensible kind of violated rule.
    public struct Rule: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        /// Creates a rule for a custom format.
        public init(_ description: String) { self.description = description }

        /// The file violates the syntax of its format.
        public static let syntax = Rule("syntax")
        /// A text is not in UTF-8, or names a character that does not exist.
        public static let encoding = Rule("encoding")
        /// A dictionary contains the same key twice.
        public static let duplicateKey = Rule("duplicateKey")
        /// The file nests too deeply, is too large, or expands to something too large.
        public static let limit = Rule("limit")
        /// The format can't represent the value, or the spelling stands for no value.
        public static let unsupportedValue = Rule("unsupportedValue")
    }

    /// The rule that the file or the value breaks.
    public var rule: Rule
    /// The position in the file, or the key, at which it is broken.
    public var place: Place
    /// The problem, as a sentence without the position.
    public var reason: String

    /// Creates an error. The reason is a sentence without the position, and must not quote a value.
    public init(_ rule: Rule, at place: Place, _ reason: String) {
        self.rule = rule
        self.place = place
        self.reason = reason
    }

    public var description: String {
        switch place {
        case .text(let line, let column): "Line \(line), column \(column): \(reason)"
        case .byte(let offset): "Byte \(offset): \(reason)"
        case .key(""): reason
        case .key(let key): "Key “\(key)”: \(reason)"
        }
    }
}

extension FormatError {
    package init(_ rule: Rule, atByte offset: Int, _ reason: String) {
        self.init(rule, at: .byte(offset), reason)
    }

    /// Returns the same error, with the byte offset converted to a line and a column of `text`.
    package func located(inText text: [UInt8]) -> FormatError {
        guard case .byte(let offset) = place else { return self }
        var line = 1
        var column = 1
        for byte in text[..<min(offset, text.count)] {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                // Count scalars: continuation bytes of UTF-8 do not start one.
                column += 1
            }
        }
        return FormatError(rule, at: .text(line: line, column: column), reason)
    }

    /// Returns the same error, seen from one level further out.
    package func below(_ key: String) -> FormatError {
        guard case .key(let inner) = place else { return self }
        let outer = SettingKey(name: key)
        let place = inner.isEmpty ? outer : outer.appending(SettingKey(stored: inner))
        return FormatError(rule, at: .key(place.description), reason)
    }
}

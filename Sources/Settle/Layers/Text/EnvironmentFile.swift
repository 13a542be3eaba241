/// The variables in a file such as `.env`, with a line `NAME=value` for each.
///
///     # a comment
///     APP_PORT=8080                       # ends before the space of a comment; spaces around it don't count
///     export APP_NAME='literally $this'   # nothing is special but the closing quotation mark
///     APP_GREETING="two\nlines"           # \n \r \t \" \\ \$ are escapes, another backslash stays as it is
///     APP_CERTIFICATE="-----BEGIN
///     -----END"                           # quotation marks may be lines apart
///
/// Values are not expanded: `$NAME` is these five characters. A line ends with LF or CRLF, which within quotation marks
/// results in an LF. A name has letters, digits, `_`, `.` and `-`, and does not begin with a digit. If a name occurs
/// twice, the last line counts.
struct EnvironmentFile: Sendable, Equatable {
    /// Strings by the names of the variables.
    let tree: SettingTree
    let lines: KeyLines

    /// - Throws: ``FormatError`` with line and column. It never quotes the file.
    init(_ bytes: [UInt8]) throws(FormatError) {
        var reader = EnvironmentFileReader(bytes)
        do throws(FormatError) {
            try reader.readFile()
        } catch {
            throw error.located(inText: bytes)
        }
        tree = SettingTree(reader.values)
        lines = reader.lines
    }
}

private struct EnvironmentFileReader {
    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    private(set) var values: SettingValue.Entries = [:]
    private(set) var lines = KeyLines()

    private static let (newline, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func readFile() throws(FormatError) {
        try checkText()
        if bytes.starts(with: utf8ByteOrderMark) { offset = utf8ByteOrderMark.count }
        while offset < bytes.count {
            try readLine()
            skip { $0 != Self.newline }
            offset += 1
            line += 1
        }
    }

    private func checkText() throws(FormatError) {
        if let zero = bytes.firstIndex(of: 0) {
            throw failure("A variable can't have a zero byte.", .encoding, at: zero)
        }
        guard String(validating: bytes, as: UTF8.self) == nil else { return }
        let lines = bytes.split(separator: Self.newline)
        let damaged = lines.first { String(validating: $0, as: UTF8.self) == nil }
        throw failure("The line is not in UTF-8.", .encoding, at: damaged?.startIndex ?? 0)
    }

    // MARK: Lines

    private mutating func readLine() throws(FormatError) {
        skip(\.isBlank)
        guard !isAtLineEnd, current != UInt8(ascii: "#") else { return }
        let line = line
        var name = readName()
        if name == "export", current?.isBlank == true {
            skip(\.isBlank)
            name = readName()
        }
        skip(\.isBlank)
        guard current == UInt8(ascii: "=") else {
            throw failure(
                isAtLineEnd
                    ? "The line has no “=”."
                    : "A “=” is missing after the name. A name has letters, digits, “_”, “.” and “-”, and does not "
                        + "begin with a digit.")
        }
        guard !name.isEmpty else { throw failure("There is no name before the “=”.") }
        offset += 1
        let value = try readValue()
        values[name] = .string(value)
        lines.add(name, line: line, KeyLines())
    }

    private mutating func readName() -> String {
        let start = offset
        guard current?.isDigit == false else { return "" }
        skip(\.isOfName)
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func readValue() throws(FormatError) -> String {
        let start = offset
        skip(\.isBlank)
        guard let mark = current, mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'") else {
            return try plainValue(from: start)
        }
        let first = line
        let value = try readQuoted(by: mark)
        let end = offset
        skip(\.isBlank)
        let isComment = current == UInt8(ascii: "#") && offset > end
        guard isAtLineEnd || isComment else {
            throw failure(
                "After the quotation mark that ends the value of line \(first), only a comment may follow, after a "
                    + "space."
            )
        }
        return value
    }

    // MARK: Values

    private mutating func plainValue(from start: Int) throws(FormatError) -> String {
        offset = start
        skip { $0 != Self.newline }
        var text = bytes[start..<offset]
        let comment = zip(text.indices, text.indices.dropFirst()).first { before, index in
            text[index] == UInt8(ascii: "#") && text[before].isBlank
        }
        if let comment { text = text[..<comment.0] }
        if let lone = text.firstIndex(of: Self.carriageReturn), lone + 1 < offset {
            throw failure("A line must end with LF or CRLF, not with CR alone.", at: lone)
        }
        return String(String(decoding: text, as: UTF8.self).withoutOuterSpace)
    }

    /// Reads up to the closing quotation mark, and skips that.
    private mutating func readQuoted(by mark: UInt8) throws(FormatError) -> String {
        let start = offset
        var text: [UInt8] = []
        offset += 1
        while let byte = current {
            offset += 1
            switch byte {
            case mark: return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\") where mark == UInt8(ascii: "\""): text.append(readEscape())
            case Self.carriageReturn where current == Self.newline: break
            default:
                if byte == Self.newline { line += 1 }
                text.append(byte)
            }
        }
        throw failure("The quotation mark that begins the value here is not closed.", at: start)
    }

    /// Returns the character of an escape; the backslash itself before any other character.
    private mutating func readEscape() -> UInt8 {
        let character: UInt8
        switch current {
        case UInt8(ascii: "n"): character = Self.newline
        case UInt8(ascii: "r"): character = Self.carriageReturn
        case UInt8(ascii: "t"): character = UInt8(ascii: "\t")
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"): character = bytes[offset]
        default: return UInt8(ascii: "\\")
        }
        offset += 1
        return character
    }

    // MARK: Bytes

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private var isAtLineEnd: Bool {
        let isReturn = current == Self.carriageReturn
        let next = isReturn ? offset + 1 : offset
        return next == bytes.count || bytes[next] == Self.newline
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while offset < bytes.count, isSkipped(bytes[offset]) { offset += 1 }
    }

    private func failure(_ reason: String, _ rule: FormatError.Rule = .syntax, at place: Int? = nil) -> FormatError {
        FormatError(rule, atByte: place ?? offset, reason)
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// Whether the name of a variable may contain the byte; those beyond ASCII are parts of letters.
    fileprivate var isOfName: Bool {
        isDigit || self >= 0x80 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20
            || [UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-")].contains(self)
    }
}

public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension StringTable {
    /// Reads a `.strings` file: the old text form in UTF-8, or in UTF-16 with a byte order mark, or a property list in
    /// XML or binary.
    ///
    /// - A key without an equals sign has itself as its text.
    /// - A comment belongs to the next key, even if it follows another entry on its line; one between a key and its
    ///   semicolon belongs to that key. Directly successive `//` comment lines are one comment.
    /// - Of two entries with the same key, the last one counts, and the result lists the others. In XML and in binary
    ///   two such entries are an error.
    /// - A binary file has no order, so its keys are sorted. XML and binary files have no comments here.
    ///
    /// - Throws: `FormatError` with the line and the column, or the key of a value that is not a text.
    public static func read(
        _ data: Data
    ) throws(FormatError) -> (table: StringTable, form: PropertyList.Form, duplicates: [Duplicate]) {
        switch try Document([UInt8](data)) {
        case .binary(let bytes): return (try read(PropertyListDocument.read(bytes)), .binary, [])
        case .xml(let text):
            return (try read(text.readXML()).sorted(by: FileFormat.keyLines(in: text.bytes)), .xml, [])
        case .text(let text):
            return try text.read { (bytes) throws(FormatError) in
                var reader = StringTableReader(bytes)
                let table = try reader.readFile()
                return (table, .oldText, reader.duplicates())
            }
        }
    }

    private static func read(_ value: SettingValue) throws(FormatError) -> StringTable {
        guard case .dictionary(let entries) = value else {
            throw FormatError(.unsupportedValue, at: .key(""), "A file of strings must be a dictionary.")
        }
        var table: [Entry] = []
        for (key, value) in entries.sortedByKey() {
            guard case .string(let text) = value else { throw notText.below(key) }
            table.append(Entry(key: key, value: text))
        }
        return StringTable(table)
    }

    private static var notText: FormatError {
        FormatError(.unsupportedValue, at: .key(""), "In a file of strings, each value must be a text.")
    }

    private func sorted(by lines: KeyLines?) -> StringTable {
        guard let lines else { return self }
        let numbered = entries.enumerated().map { position, entry in
            (line: lines.line(of: SettingKey(name: entry.key)) ?? 0, position: position, entry: entry)
        }
        return StringTable(
            numbered.sorted { ($0.line, $0.position) < ($1.line, $1.position) }.map(\.entry))
    }

    /// Returns a comment in its stored form: without outer space, and with line feeds only.
    static func tidied(_ comment: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(comment.utf8.count)
        var isAfterReturn = false
        for scalar in comment.unicodeScalars {
            let isLineEnd = scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
            if !(isAfterReturn && scalar == "\n") {
                bytes.append(contentsOf: UTF8.encode(isLineEnd ? "\n" : scalar) ?? UTF8.encodedReplacementCharacter)
            }
            isAfterReturn = scalar == "\r"
        }
        guard let start = bytes.firstIndex(where: { !$0.isSpace }), let end = bytes.lastIndex(where: { !$0.isSpace })
        else { return "" }
        return String(decoding: bytes[start...end], as: UTF8.self)
    }
}

/// Reads the old text form with its order and comments. Positions in the errors are byte offsets.
private struct StringTableReader {
    private let bytes: [UInt8]
    private var reader: OldPropertyList
    /// The offsets of the keys read so far.
    private var starts: [Name: Int] = [:]
    /// The offsets of the keys that do not count.
    private var duplicateStarts: [(key: String, start: Int)] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        reader = OldPropertyList(file: bytes)
    }

    mutating func readFile() throws(FormatError) -> StringTable {
        var entries: [StringTable.Entry] = []
        let hasBraces = try reader.skipToken("{")
        while let entry = try reader.readEntry(depth: 1) {
            guard case .string(let text) = entry.value else {
                throw reader.failure(
                    "In a file of strings, each value must be a text.", rule: .unsupportedValue, at: entry.start)
            }
            if let earlier = starts.updateValue(entry.start, forKey: Name(entry.key)) {
                duplicateStarts.append((entry.key, earlier))
            }
            entries.append(StringTable.Entry(key: entry.key, value: text, comments: takeComments()))
        }
        if hasBraces {
            guard reader.skip("}") else { throw reader.failure("The dictionary of this file has no end.", at: 0) }
            try reader.skipSpace()
        }
        guard reader.isAtEnd else { throw reader.somethingAfterTheEnd() }
        var table = StringTable(entries)
        table.closingComments = takeComments()
        return table
    }

    consuming func duplicates() -> [StringTable.Duplicate] {
        var line = 1
        var counted = 0
        return duplicateStarts.sorted { $0.start < $1.start }.map { key, start in
            for byte in bytes[counted..<start] where byte == UInt8(ascii: "\n") { line += 1 }
            counted = start
            return StringTable.Duplicate(key: key, line: line)
        }
    }

    private mutating func takeComments() -> [String] {
        guard !reader.comments.isEmpty else { return [] }
        var texts: [[UInt8]] = []
        var end: Int?
        for comment in reader.comments {
            var content = bytes[comment.range].dropFirst(2).dropLast(comment.isLine ? 0 : 2)
            if comment.isLine, content.first == UInt8(ascii: " ") { content.removeFirst() }
            if comment.isLine, let end, isOneLineEnd(end..<comment.range.lowerBound), !texts.isEmpty {
                texts[texts.count - 1] += [UInt8(ascii: "\n")] + content
            } else {
                texts.append(Array(content))
            }
            end = comment.isLine ? comment.range.upperBound : nil
        }
        reader.comments = []
        return texts.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns whether there is only one line ending between two comments, and nothing else.
    private func isOneLineEnd(_ range: Range<Int>) -> Bool {
        let between = bytes[range].filter { $0 != 0x20 && $0 != 0x09 }
        return between == [0x0A] || between == [0x0D] || between == [0x0D, 0x0A]
    }
}

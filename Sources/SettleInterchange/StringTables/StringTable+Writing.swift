public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension StringTable {
    /// Writes a `.strings` file.
    ///
    /// The old text form is in UTF-8, keeps the order and the comments, and reads back as the equal table. Keys and
    /// texts are in quotation marks; only quotation marks, backslashes and invisible characters are escaped. A comment
    /// is between `/*` and `*/`, or, if it contains `*/`, after two slashes on each line.
    ///
    /// XML and binary files have neither order nor comments: they read back with the same texts.
    ///
    /// - Throws: `FormatError` if the form does not hold a text. At present each form holds all of them.
    public func data(as form: PropertyList.Form = .oldText) throws(FormatError) -> Data {
        guard form == .oldText else {
            let values = entries.map { ($0.key, SettingValue.string($0.value)) }
            return try PropertyList(.dictionary(SettingValue.Entries(uniqueKeysWithValues: values))).data(as: form)
        }
        var bytes: [UInt8] = []
        for (position, entry) in entries.enumerated() {
            if position > 0, !entry.comments.isEmpty { bytes.append(UInt8(ascii: "\n")) }
            Self.append(entry.comments, to: &bytes)
            bytes += OldText.quoted(entry.key, inASCII: false)
            bytes += " = ".utf8
            bytes += OldText.quoted(entry.value, inASCII: false)
            bytes += ";\n".utf8
        }
        if !entries.isEmpty, !closingComments.isEmpty { bytes.append(UInt8(ascii: "\n")) }
        Self.append(closingComments, to: &bytes)
        return Data(bytes)
    }

    private static func append(_ comments: [String], to bytes: inout [UInt8]) {
        var isAfterLines = false
        for comment in comments {
            // Successive lines would be one comment.
            if isAfterLines { bytes.append(UInt8(ascii: "\n")) }
            isAfterLines = hasBlockEnd(comment)
            if isAfterLines {
                for line in comment.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                    bytes += "// ".utf8
                    bytes += line
                    bytes.append(UInt8(ascii: "\n"))
                }
            } else {
                bytes += "/* ".utf8
                bytes += comment.utf8
                bytes += " */\n".utf8
            }
        }
    }

    /// Returns whether a comment contains `*/`. Compares bytes: to Swift, a mark after the slash would make it another
    /// character.
    private static func hasBlockEnd(_ comment: String) -> Bool {
        let bytes = Array(comment.utf8)
        return zip(bytes, bytes.dropFirst()).contains { $0 == UInt8(ascii: "*") && $1 == UInt8(ascii: "/") }
    }
}

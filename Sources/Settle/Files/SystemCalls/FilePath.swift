/// Plain text operations on absolute paths.
///
/// Not `URL`, because that percent-encodes, and drops `..` without asking the file system, which is wrong behind a
/// symbolic link.
package struct FilePath: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package var description: String { text }

    /// The path in quotation marks, for sentences.
    package var quoted: String { "“\(self)”" }

    package var withoutTrailingSlashes: FilePath {
        guard text.utf8.last == Self.slash else { return self }
        let end = text.utf8.lastIndex { $0 != Self.slash }
        return FilePath(end.map { String(text[...$0]) } ?? String(text.prefix(1)))
    }

    /// Whether it is absolute, and no name in it is empty or consists of dots.
    package var isPlain: Bool {
        guard text.utf8.first == Self.slash else { return false }
        // Byte by byte: splitting a path takes as long as two system calls.
        var hasOnlyDots = true
        for byte in text.utf8.dropFirst() {
            if byte == Self.slash {
                if hasOnlyDots { return false }
                hasOnlyDots = true
            } else if byte != UInt8(ascii: ".") {
                hasOnlyDots = false
            }
        }
        return !hasOnlyDots
    }

    /// The text after the last slash.
    @inline(never) package var name: String {
        text.utf8.lastIndex(of: Self.slash).map { String(text[text.index(after: $0)...]) } ?? text
    }

    /// The path of the folder that contains the file.
    @inline(never) package var folder: FilePath {
        guard let slash = text.utf8.lastIndex(of: Self.slash) else { return FilePath(".") }
        return FilePath(slash == text.startIndex ? "/" : String(text[..<slash]))
    }

    /// The path of another file in the same folder.
    package func sibling(named name: String) -> FilePath {
        folder.appending(name)
    }

    @inline(never) package func appending(_ name: String) -> FilePath {
        FilePath(text.hasSuffix("/") ? text + name : text + "/" + name)
    }

    private static let slash = UInt8(ascii: "/")

    // Compared by bytes, as most file systems do: strings that are equal in Swift may have different bytes.

    package static func == (first: FilePath, second: FilePath) -> Bool {
        first.text.hasSameBytes(as: second.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No text contains this byte, so it separates consecutive paths.
        hasher.combine(UInt8.max)
    }
}

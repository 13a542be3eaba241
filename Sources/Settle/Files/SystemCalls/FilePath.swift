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
        return text.withBytes { bytes in
            FilePath(bytes.lastIndex { $0 != Self.slash }.map { bytes.text(0..<$0 + 1) } ?? "/")
        }
    }

    package var isAbsolute: Bool { text.utf8.first == Self.slash }

    /// The names between the slashes, without empty ones. Not split by characters: a combining mark at the beginning of
    /// a name forms one with the slash before it.
    package var parts: [String] { text.utf8.split(separator: Self.slash).map { String(Substring($0)) } }

    /// Whether it is absolute, and no name in it is empty or consists of dots.
    package var isPlain: Bool {
        // Byte by byte: splitting a path takes as long as two system calls.
        text.withBytes { bytes in
            guard bytes.first == Self.slash else { return false }
            var hasOnlyDots = true
            for byte in bytes.dropFirst() {
                if byte == Self.slash {
                    if hasOnlyDots { return false }
                    hasOnlyDots = true
                } else if byte != UInt8(ascii: ".") {
                    hasOnlyDots = false
                }
            }
            return !hasOnlyDots
        }
    }

    /// The text after the last slash.
    @inline(never) package var name: String {
        text.withBytes { bytes in
            bytes.lastIndex(of: Self.slash).map { bytes.text($0 + 1..<bytes.count) } ?? text
        }
    }

    /// The path of the folder that contains the file.
    @inline(never) package var folder: FilePath {
        text.withBytes { bytes in
            guard let slash = bytes.lastIndex(of: Self.slash) else { return FilePath(".") }
            return FilePath(slash == 0 ? "/" : bytes.text(0..<slash))
        }
    }

    /// The path of another file in the same folder.
    package func sibling(named name: String) -> FilePath {
        folder.appending(name)
    }

    @inline(never) package func appending(_ name: String) -> FilePath {
        var path = ""
        path.reserveCapacity(text.utf8.count + 1 + name.utf8.count)
        path += text
        if text.utf8.last != Self.slash { path += "/" }
        path += name
        return FilePath(path)
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

extension String {
    /// Calls a closure with the bytes in UTF-8.
    ///
    /// Where they lie in one piece, as those of nearly all strings, a loop over them is several times as fast as one
    /// over `utf8`.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let result = utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
        if let result { return result }
        var text = self
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

extension UnsafeRawBufferPointer {
    /// A part of these bytes as text.
    fileprivate func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: self[range]), as: UTF8.self)
    }
}

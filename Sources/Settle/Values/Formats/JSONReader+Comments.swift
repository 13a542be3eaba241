extension JSONReader {
    /// Skips everything that may precede the outermost value.
    mutating func skipToRoot() throws(FormatError) {
        if position == 0, bytes.starts(with: utf8ByteOrderMark) { position = utf8ByteOrderMark.count }
        try skipSpace()
    }

    /// Returns the offset at which the comment that begins here ends. A line comment ends before the line break.
    func commentEnd() throws(FormatError) -> Int {
        guard dialect == .commented else { throw failure("Strict JSON has no comments.") }
        guard let end = Self.commentEnd(in: bytes, at: position) else {
            let isOpen = bytes[position...].starts(with: "/*".utf8)
            throw failure(
                isOpen ? "The comment that starts here has no end." : "A comment starts with // or with /* here.")
        }
        if let place = bytes[position..<end].firstIndex(where: { $0 < 0x20 && !$0.isTextSpace }) {
            throw failure("A comment can't have control characters.", at: place)
        }
        guard String(validating: bytes[position..<end], as: UTF8.self) != nil else {
            throw failure("The comment that starts here is not in UTF-8.", rule: .encoding)
        }
        return end
    }

    /// - Returns: `nil` if no comment begins there, or if it has no end.
    static func commentEnd(in bytes: [UInt8], at start: Int) -> Int? {
        guard start + 1 < bytes.count, bytes[start] == UInt8(ascii: "/") else { return nil }
        switch bytes[start + 1] {
        case UInt8(ascii: "/"):
            return bytes[start...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? bytes.count
        case UInt8(ascii: "*"):
            var end = start + 3
            while end < bytes.count, bytes[end] != UInt8(ascii: "/") || bytes[end - 1] != UInt8(ascii: "*") { end += 1 }
            return end < bytes.count ? end + 1 : nil
        default: return nil
        }
    }
}

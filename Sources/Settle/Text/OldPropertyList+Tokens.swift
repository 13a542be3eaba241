extension OldPropertyList {
    func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    /// Skips `byte` if it is next.
    mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// Skips space, and then `byte` if it is next.
    mutating func skipToken(_ byte: Unicode.Scalar) -> Bool {
        skipSpace()
        return skip(byte)
    }

    mutating func skipSpace(withComments: Bool = true) {
        while true {
            if let length = spaceLength {
                position += length
            } else if withComments, peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "/") {
                while position < bytes.count, !isLineEnd { position += 1 }
            } else if withComments, peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                skipBlockComment()
            } else {
                return
            }
        }
    }

    /// A comment without an end extends to the end of the text, as in Apple's reader.
    private mutating func skipBlockComment() {
        position += 2
        while position < bytes.count {
            if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                position += 2
                return
            }
            position += 1
        }
    }

    /// The number of bytes of the space character that is next, if one is.
    private var spaceLength: Int? {
        switch peek() {
        case .some(0x09...0x0D), 0x20: 1
        case 0xE2 where isUnicodeLineEnd: 3
        default: nil
        }
    }

    private var isLineEnd: Bool {
        peek() == UInt8(ascii: "\n") || peek() == UInt8(ascii: "\r") || isUnicodeLineEnd
    }

    /// Whether U+2028 or U+2029 is next.
    private var isUnicodeLineEnd: Bool {
        peek() == 0xE2 && peek(1) == 0x80 && (peek(2) == 0xA8 || peek(2) == 0xA9)
    }
}

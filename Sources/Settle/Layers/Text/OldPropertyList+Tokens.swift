extension OldPropertyList {
    /// Whether everything has been read.
    package var isAtEnd: Bool { position == bytes.count }

    package func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    /// Skips `byte` if it is next.
    package mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// Skips space, and then `byte` if it is next.
    package mutating func skipToken(_ byte: Unicode.Scalar) throws(FormatError) -> Bool {
        try skipSpace()
        return skip(byte)
    }

    /// Skips space and comments.
    package mutating func skipSpace() throws(FormatError) { try skipSpace(withComments: true) }

    mutating func skipSpace(withComments: Bool) throws(FormatError) {
        while true {
            if let length = spaceLength {
                position += length
            } else if withComments, peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "/") {
                let start = position
                while !isAtEnd, !isLineEnd { position += 1 }
                keepComment(from: start, isLine: true)
            } else if withComments, peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                try skipBlockComment()
            } else {
                return
            }
        }
    }

    /// Skips a block comment. In an argument, a comment without an end extends to the end of the text, as in Apple's
    /// reader. In a file it would hide that part of the file is missing.
    private mutating func skipBlockComment() throws(FormatError) {
        let start = position
        position += 2
        while !isAtEnd {
            if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                position += 2
                return keepComment(from: start, isLine: false)
            }
            position += 1
        }
        if isFile { throw failure("The comment that starts here has no end.", at: start) }
    }

    private mutating func keepComment(from start: Int, isLine: Bool) {
        if isFile { comments.append(Comment(range: start..<position, isLine: isLine)) }
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

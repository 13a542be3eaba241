extension JSONReader {
    /// Reads a string, starting at its opening quotation mark.
    mutating func readString() throws(FormatError) -> String {
        let start = position
        position += 1
        var isASCII = true
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let content = bytes[(start + 1)..<position]
                position += 1
                return isASCII ? String(decoding: content, as: UTF8.self) : try validated(content, start)
            }
            guard byte != UInt8(ascii: "\\") else { return try readEscapedString(from: start) }
            guard byte >= 0x20 else { throw controlCharacter() }
            isASCII = isASCII && byte < 0x80
            position += 1
        }
        throw failure("The string that starts here has no end.", at: start)
    }

    /// Reads the rest of a string from its first escape on, and joins the parts.
    private mutating func readEscapedString(from start: Int) throws(FormatError) -> String {
        var content = Array(bytes[(start + 1)..<position])
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return try validated(content[...], start)
            case UInt8(ascii: "\\"):
                content.append(contentsOf: try readEscape())
            case 0..<0x20:
                throw controlCharacter()
            default:
                content.append(byte)
                position += 1
            }
        }
        throw failure("The string that starts here has no end.", at: start)
    }

    private mutating func readEscape() throws(FormatError) -> [UInt8] {
        let start = position
        position += 1
        guard let letter = peek() else { throw failure("The text ends within a string.") }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(try readEscapedScalar(from: start)).utf8)
        default: throw failure("There is no such escape in JSON.", at: start)
        }
    }

    private mutating func readEscapedScalar(from start: Int) throws(FormatError) -> Unicode.Scalar {
        let unit = try readHexadecimal(from: start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(unit), skip("\\"), skip("u") else { throw halfSurrogatePair(start) }
        let trail = try readHexadecimal(from: start)
        guard UTF16.isTrailSurrogate(trail) else { throw halfSurrogatePair(start) }
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }

    private mutating func readHexadecimal(from start: Int) throws(FormatError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = peek()?.hexadecimalValue else {
                throw failure("Four hexadecimal digits are expected after \\u.", at: start)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    private func validated(_ content: ArraySlice<UInt8>, _ start: Int) throws(FormatError) -> String {
        guard let string = String(validating: content, as: UTF8.self) else {
            throw failure("The string that starts here is not in UTF-8.", rule: .encoding, at: start)
        }
        return string
    }

    private func halfSurrogatePair(_ start: Int) -> FormatError {
        failure("This is half of a surrogate pair, not a character.", rule: .encoding, at: start)
    }

    private func controlCharacter() -> FormatError {
        failure("A control character in a string must be escaped.")
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit in ASCII.
    var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension OldPropertyList {
    /// Reads a string with or without quotation marks; `nil` if none is next.
    mutating func readString() throws(FormatError) -> String? {
        let start = position
        if skip("\"") { return try readQuoted(until: UInt8(ascii: "\""), from: start) }
        if skip("'") { return try readQuoted(until: UInt8(ascii: "'"), from: start) }
        while let length = unquotedLength { position += length }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    /// The number of bytes of the character that is next, if a string that has it needs no quotation marks. In a file
    /// that may be a letter, a digit or a combining mark of any script.
    private var unquotedLength: Int? {
        guard let byte = peek() else { return nil }
        guard isFile, byte >= 0x80 else { return byte.isUnquoted ? 1 : nil }
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes[position...].makeIterator()
        guard case .valid(let encoded) = parser.parseScalar(from: &rest) else { return nil }
        return Unicode.UTF8.decode(encoded).isWordPart ? encoded.count : nil
    }

    private mutating func readQuoted(until quote: UInt8, from start: Int) throws(FormatError) -> String {
        var content = EscapedText()
        while let byte = peek() {
            position += 1
            if byte == quote {
                if let text = content.finish() { return text }
                throw failure("The string that starts here has half of a surrogate pair.", rule: .encoding, at: start)
            }
            if byte == UInt8(ascii: "\\") { readEscape(into: &content) } else { content.append(byte) }
        }
        throw failure("The string that starts here has no end.", at: start)
    }

    private mutating func readEscape(into content: inout EscapedText) {
        guard let letter = peek() else { return }
        position += 1
        switch letter {
        case UInt8(ascii: "0")...UInt8(ascii: "7"): content.append(unit: readOctal(from: letter))
        case UInt8(ascii: "U"): content.append(unit: readHexadecimal())
        case UInt8(ascii: "a"): content.append(0x07)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "v"): content.append(0x0B)
        default: content.append(letter)
        }
    }

    /// Reads up to three digits, as a byte in the encoding of NeXTSTEP.
    private mutating func readOctal(from first: UInt8) -> UInt16 {
        var byte = first.digitValue
        for _ in 0..<2 {
            guard let next = peek(), (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(next) else { break }
            byte = byte << 3 | next.digitValue
            position += 1
        }
        return nextstepCharacter(byte)
    }

    /// Reads up to four digits.
    private mutating func readHexadecimal() -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = peek()?.hexadecimalValue else { break }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}

/// A string in UTF-8 that is joined from bytes and from units of UTF-16.
private struct EscapedText {
    private var bytes: [UInt8] = []
    private var lead: UInt16?
    private var isBroken = false

    mutating func append(_ byte: UInt8) {
        if lead != nil { isBroken = true }
        bytes.append(byte)
    }

    mutating func append(unit: UInt16) {
        if let lead {
            guard UTF16.isTrailSurrogate(unit) else { return isBroken = true }
            append(UTF16.decode(UTF16.EncodedScalar([lead, unit])))
            self.lead = nil
        } else if UTF16.isLeadSurrogate(unit) {
            lead = unit
        } else if let scalar = Unicode.Scalar(unit) {
            append(scalar)
        } else {
            isBroken = true
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) { bytes.append(contentsOf: String(scalar).utf8) }

    func finish() -> String? {
        isBroken || lead != nil ? nil : String(decoding: bytes, as: UTF8.self)
    }
}

extension Unicode.Scalar {
    /// Whether it is a letter, a number or a combining mark.
    fileprivate var isWordPart: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}

extension UInt8 {
    /// Whether a string that has the character needs no quotation marks.
    fileprivate var isUnquoted: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: isDigit || "_$/:.-".utf8.contains(self)
        }
    }
}

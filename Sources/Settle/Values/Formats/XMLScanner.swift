/// Reads the subset of XML that property lists use. Positions in its errors are byte offsets.
struct XMLScanner {
    enum Tag {
        case start(name: String, offset: Int)
        case end(name: String, offset: Int)
        /// `<name/>`
        case empty(name: String, offset: Int)
    }

    let bytes: [UInt8]
    /// Whether the bytes have been converted to UTF-8, so that their declared encoding does not apply.
    private let isConverted: Bool
    var position = 0

    init(_ bytes: [UInt8], isConverted: Bool = false) {
        self.bytes = bytes
        self.isConverted = isConverted
    }

    var isAtEnd: Bool { position == bytes.count }

    func failure(_ reason: String, rule: FormatError.Rule = .syntax, at offset: Int? = nil) -> FormatError {
        FormatError(rule, atByte: offset ?? position, reason)
    }

    /// Skips everything that may precede the first element.
    mutating func skipProlog() throws(FormatError) {
        if starts(with: "\u{FEFF}") { position += utf8ByteOrderMark.count }
        if starts(with: "<?xml") { try readDeclaration() }
        try skipSpaceAndComments()
        if starts(with: "<!DOCTYPE") {
            try skipDocumentType()
            try skipSpaceAndComments()
        }
    }

    /// Returns the offset at which the comment or processing instruction that begins there ends; `nil` if none begins
    /// there.
    func commentEnd(at start: Int) -> Int? {
        var scanner = self
        scanner.position = start
        do throws(FormatError) {
            if scanner.starts(with: "<!--") {
                try scanner.skip(from: "<!--", to: "-->", "")
            } else if scanner.starts(with: "<?") {
                try scanner.skip(from: "<?", to: "?>", "")
            } else {
                return nil
            }
        } catch { return nil }
        return scanner.position
    }

    /// Skips white space, comments and processing instructions.
    mutating func skipSpaceAndComments() throws(FormatError) {
        while true {
            while position < bytes.count, bytes[position].isTextSpace { position += 1 }
            guard isAtMarkup else { return }
            if starts(with: "<!--") {
                try skip(from: "<!--", to: "-->", "The comment")
            } else if starts(with: "<?") {
                try skip(from: "<?", to: "?>", "The processing instruction")
            } else {
                return
            }
        }
    }

    /// Reads a tag, after white space and comments. Only a `plist` tag may have attributes.
    mutating func readTag() throws(FormatError) -> Tag {
        try skipSpaceAndComments()
        let start = position
        guard !isAtEnd else { throw failure("The file ends where a tag is expected.") }
        guard bytes[position] == UInt8(ascii: "<") else { throw failure("A tag is expected here.") }
        position += 1
        let isEnd = skipByte("/")
        let nameStart = position
        while position < bytes.count, bytes[position].isNameByte { position += 1 }
        let name = String(decoding: bytes[nameStart..<position], as: UTF8.self)
        guard !name.isEmpty else { throw failure("A tag's name is expected here.") }
        if name == "plist", !isEnd { try skipAttributes() }
        while position < bytes.count, bytes[position].isTextSpace { position += 1 }
        if isEnd {
            guard skipByte(">") else { throw failure("This tag must end with >.") }
            return .end(name: name, offset: start)
        }
        let isEmpty = skipByte("/")
        guard skipByte(">") else { throw failure("This tag must end with > and can't have attributes.") }
        return isEmpty ? .empty(name: name, offset: start) : .start(name: name, offset: start)
    }

    /// Reads characters up to the end tag of the element `name`, then that tag.
    mutating func readText(of name: String) throws(FormatError) -> String {
        let start = position
        var text: [UInt8] = []
        while true {
            let runStart = position
            while position < bytes.count, bytes[position] != UInt8(ascii: "<"), bytes[position] != UInt8(ascii: "&") {
                position += 1
            }
            text.append(contentsOf: bytes[runStart..<position])
            if isAtEnd {
                throw failure("The element whose text starts here has no end.", at: start)
            } else if bytes[position] == UInt8(ascii: "&") {
                text.append(contentsOf: String(try readReference()).utf8)
            } else if !isAtMarkup {
                break
            } else if starts(with: "<![CDATA[") {
                let contentStart = position + 9
                try skip(from: "<![CDATA[", to: "]]>", "The CDATA section")
                text.append(contentsOf: bytes[contentStart..<(position - 3)])
            } else if starts(with: "<!--") {
                try skip(from: "<!--", to: "-->", "The comment")
            } else {
                break
            }
        }
        guard case .end(name, _) = try readTag() else {
            throw failure(
                "The element whose text starts here contains another one or is closed by another tag.", at: start)
        }
        guard let string = String(validating: text, as: UTF8.self) else {
            throw failure("The text that starts here is not in UTF-8.", rule: .encoding, at: start)
        }
        return string
    }
}

extension XMLScanner {
    /// Whether a comment, a CDATA section or a processing instruction may be next: a quick test before the slow ones.
    private var isAtMarkup: Bool {
        position + 1 < bytes.count && bytes[position] == UInt8(ascii: "<")
            && (bytes[position + 1] == UInt8(ascii: "!") || bytes[position + 1] == UInt8(ascii: "?"))
    }

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { expected in
            guard expected.count <= bytes.count - position else { return false }
            for index in 0..<expected.count where bytes[position + index] != expected[index] { return false }
            return true
        }
    }

    private mutating func skipByte(_ byte: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    private mutating func skip(
        from start: StaticString, to end: StaticString, _ subject: StaticString
    ) throws(FormatError) {
        let startPosition = position
        position += start.utf8CodeUnitCount
        while !skip(end) {
            guard !isAtEnd else { throw failure("\(subject) that starts here has no end.", at: startPosition) }
            position += 1
        }
    }

    private mutating func readDeclaration() throws(FormatError) {
        let start = position
        try skip(from: "<?xml", to: "?>", "The XML declaration")
        guard !isConverted else { return }
        let declaration = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
        guard let name = declaration.firstRange(of: "encoding") else { return }
        let value = declaration[name.upperBound...].drop { " \t\r\n=\"'".contains($0) }
            .prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(value) else {
            throw failure("The file must be in UTF-8, but declares \(value).", rule: .encoding, at: start)
        }
    }

    private mutating func skipDocumentType() throws(FormatError) {
        let start = position
        while !skipByte(">") {
            guard !isAtEnd else { throw failure("The document type that starts here has no end.", at: start) }
            guard bytes[position] != UInt8(ascii: "[") else {
                throw failure("A property list must not declare anything in its document type.")
            }
            position += 1
        }
    }

    private mutating func skipAttributes() throws(FormatError) {
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
            guard bytes[position] != UInt8(ascii: "<") else { throw failure("The tag <plist> must end with >.") }
            position += 1
        }
    }

    /// Reads `&…;`.
    private mutating func readReference() throws(FormatError) -> Unicode.Scalar {
        let start = position
        // The longest reference is that of U+10FFFF, plus a few leading zeros.
        let window = bytes[(position + 1)..<min(position + 12, bytes.count)]
        guard let end = window.firstIndex(of: UInt8(ascii: ";")) else {
            throw failure("An ampersand must be written as &amp;.")
        }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        position = end + 1
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard name.hasPrefix("#"), digits.first?.isHexDigit == true,
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(number)
        else {
            throw failure("There is no character with this name or number.", rule: .encoding, at: start)
        }
        return scalar
    }
}

extension UInt8 {
    fileprivate var isNameByte: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}

extension DictionarySpans {
    /// Adds the entries of which most JSON files have thousands: those without escapes and comments whose values have
    /// no parts. All other entries, and the last one, are left to the reader of the format, with all errors.
    ///
    /// - Parameter start: The offset at which the key of an entry begins.
    /// - Returns: The offset at which the key of the first other entry begins.
    mutating func addSimpleEntries(of bytes: [UInt8], from start: Int) -> Int {
        bytes.withUnsafeBytes { bytes in
            let text = SimpleJSON(bytes: bytes)
            var position = start
            while let (key, value, next) = text.entry(at: position) {
                entries.append(Entry(key: key, value: value, isPlain: true))
                position = next
            }
            return position
        }
    }
}

/// Scans JSON as fast as possible, as long as it is simple.
struct SimpleJSON {
    let bytes: UnsafeRawBufferPointer

    /// Returns the entry that begins here, if it is simple and another one follows, and the offset of that one.
    @inline(__always)
    func entry(at start: Int) -> (key: Range<Int>, value: Range<Int>, next: Int)? {
        guard let keyEnd = stringEnd(from: start), let colon = skip(UInt8(ascii: ":"), from: keyEnd) else { return nil }
        let valueStart = spaceEnd(from: colon)
        guard valueStart < bytes.count else { return nil }
        let valueEnd: Int
        switch bytes[valueStart] {
        case UInt8(ascii: "\""):
            guard let end = stringEnd(from: valueStart) else { return nil }
            valueEnd = end
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"):
            valueEnd = wordEnd(from: valueStart)
        default: return nil
        }
        guard let comma = skip(UInt8(ascii: ","), from: valueEnd) else { return nil }
        let next = spaceEnd(from: comma)
        guard next < bytes.count, bytes[next] == UInt8(ascii: "\"") else { return nil }
        return (start..<keyEnd, valueStart..<valueEnd, next)
    }

    /// Returns the offset after a byte, which may have white space before it.
    @inline(__always)
    private func skip(_ byte: UInt8, from start: Int) -> Int? {
        let position = start < bytes.count && bytes[start] == byte ? start : spaceEnd(from: start)
        return position < bytes.count && bytes[position] == byte ? position + 1 : nil
    }

    @inline(__always)
    private func spaceEnd(from start: Int) -> Int {
        var position = start
        while position < bytes.count, bytes[position].isTextSpace { position += 1 }
        return position
    }

    /// Returns the offset after a number, or a word such as `true`.
    @inline(__always)
    private func wordEnd(from start: Int) -> Int {
        var position = start
        while position < bytes.count, !bytes[position].endsWord { position += 1 }
        return position
    }

    /// Returns the offset after the string that begins here; `nil` if it has an escape.
    @inline(__always)
    private func stringEnd(from start: Int) -> Int? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else { return nil }
        var position = start + 1
        while position + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let found = Self.matches(UInt8(ascii: "\""), in: word) | Self.matches(UInt8(ascii: "\\"), in: word)
            guard found == 0 else {
                position += found.trailingZeroBitCount / 8
                return bytes[position] == UInt8(ascii: "\"") ? position + 1 : nil
            }
            position += 8
        }
        return nil
    }

    /// Returns a word with the top bit of each byte that equals this one. Only the first is certain.
    @inline(__always)
    private static func matches(_ byte: UInt8, in word: UInt64) -> UInt64 {
        let different = word ^ (UInt64(byte) &* 0x0101_0101_0101_0101)
        return (different &- 0x0101_0101_0101_0101) & ~different & 0x8080_8080_8080_8080
    }
}

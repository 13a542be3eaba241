/// Searches JSON for a name in quotation marks, 32 bytes at a time.
///
/// Pure. Algorithms that skip bytes are slower: each of their steps waits for the byte that decides how long it is.
struct QuotedSearch {
    private let spelling: [UInt8]
    /// The last two bytes of the spelling, each as all bytes of a word.
    private let last: (UInt64, UInt64)

    /// - Parameter name: Without characters that have to be escaped.
    init(_ name: String) {
        spelling = Array("\"\(name)\"".utf8)
        last = (Self.word(of: spelling[spelling.count - 2]), Self.word(of: spelling[spelling.count - 1]))
    }

    /// Returns the offset behind the name and its quotation marks.
    ///
    /// - Returns: `nil` unless it occurs exactly once; also if any character is escaped by its number, as `\u0061`,
    ///   because the name may have another spelling then.
    func onlyEnd(in json: [UInt8]) -> Int? {
        json.withUnsafeBytes { json in spelling.withUnsafeBytes { onlyEnd(of: $0, in: json) } }
    }

    private func onlyEnd(of spelling: UnsafeRawBufferPointer, in json: UnsafeRawBufferPointer) -> Int? {
        var found: Int?
        var position = 0
        while let place = candidate(in: json, from: position) {
            position = place + 1
            if json[place] == UInt8(ascii: "\\") {
                if position < json.count, json[position] == UInt8(ascii: "u") { return nil }
                // A backslash that is escaped by this one begins no escape.
                position += 1
                continue
            }
            let end = place + 2
            guard end >= spelling.count,
                UnsafeRawBufferPointer(rebasing: json[end - spelling.count..<end]).isEqual(to: spelling)
            else { continue }
            guard found == nil else { return nil }
            found = end
        }
        return found
    }

    // MARK: Candidates

    /// Returns the first offset of a backslash, or of the last two bytes of the spelling. Two bytes, because the last
    /// one is always a quotation mark.
    private func candidate(in json: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var position = start
        // The second byte is read one byte further.
        while position + 33 <= json.count {
            let (one, two) = (matches(in: json, at: position), matches(in: json, at: position + 8))
            let (three, four) = (matches(in: json, at: position + 16), matches(in: json, at: position + 24))
            if one | two | three | four != 0 {
                let (offset, found) =
                    one != 0 ? (0, one) : two != 0 ? (8, two) : three != 0 ? (16, three) : (24, four)
                return position + offset + found.trailingZeroBitCount / 8
            }
            position += 32
        }
        while position + 1 < json.count {
            let isLast = Self.word(of: json[position]) == last.0 && Self.word(of: json[position + 1]) == last.1
            if isLast || json[position] == UInt8(ascii: "\\") { return position }
            position += 1
        }
        return nil
    }

    /// Returns the top bits of the bytes in a word that are candidates. Only the lowest of them is certain.
    @inline(__always)
    private func matches(in json: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        let word = UInt64(littleEndian: json.word(at: offset))
        let next = UInt64(littleEndian: json.word(at: offset + 1))
        let pair = (word ^ last.0) | (next ^ last.1)
        let escape = word ^ Self.word(of: UInt8(ascii: "\\"))
        let zeros = ((pair &- Self.ones) & ~pair) | ((escape &- Self.ones) & ~escape)
        return zeros & (Self.ones << 7)
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101

    private static func word(of byte: UInt8) -> UInt64 { UInt64(byte) &* ones }
}

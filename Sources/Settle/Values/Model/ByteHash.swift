/// A hash of bytes, for the tables of names that nearly every look-up by key goes through.
///
/// For names as short as these, `Hasher` spends more time on its beginning and end than on the bytes, eight times as
/// long as this in all. This one multiplies words to 128 bits and folds the product, as wyhash and the maps of Go do.
/// The factors are random in each process, so a file can't be written such that its names collide.
enum ByteHash {
    /// From `Hasher`, which makes them the same in each process if `SWIFT_DETERMINISTIC_HASHING` is set.
    private static let secrets = (secret(1), secret(2))

    private static func secret(_ number: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: number.hashValue) &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        let (first, second) = secrets
        let count = bytes.count
        var state = first
        var (low, high): (UInt64, UInt64) = (0, 0)
        switch count {
        case 0..<4:
            for byte in bytes { low = low << 8 | UInt64(byte) }
        case 4..<8:
            // Here and below, some bytes may be taken twice.
            (low, high) = (UInt64(bytes.half(at: 0)), UInt64(bytes.half(at: count &- 4)))
        case 8...16:
            (low, high) = (bytes.word(at: 0), bytes.word(at: count &- 8))
        default:
            var offset = 0
            repeat {
                state = folded(bytes.word(at: offset) ^ second, bytes.word(at: offset &+ 8) ^ state)
                offset &+= 16
            } while offset < count &- 16
            (low, high) = (bytes.word(at: count &- 16), bytes.word(at: count &- 8))
        }
        return Int(truncatingIfNeeded: folded(folded(low ^ second, high ^ state), second ^ UInt64(count)))
    }

    private static func folded(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func half(at offset: Int) -> UInt32 { loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
}

extension String {
    /// A hash of its bytes in UTF-8; see ``ByteHash``.
    var byteHash: Int {
        let found = utf8.withContiguousStorageIfAvailable { ByteHash.hash(UnsafeRawBufferPointer($0)) }
        return found ?? Array(utf8).withUnsafeBytes { ByteHash.hash($0) }
    }
}

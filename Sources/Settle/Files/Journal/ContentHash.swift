/// A fast 64-bit hash of bytes, to distinguish versions of a file and to detect damage. Not cryptographic.
///
/// Each step takes sixteen bytes: two words are mixed with the state and multiplied, and the halves of the product
/// folded. The hashes are part of the file format, so the function must never change.
package struct ContentHash: Sendable {
    // Fractions of the square roots of 2, 3, 5 and 7: numbers without a hidden pattern.
    private static let root2: UInt64 = 0x6A09_E667_F3BC_C908
    private static let root3: UInt64 = 0xBB67_AE85_84CA_A73B
    private static let root5: UInt64 = 0x3C6E_F372_FE94_F82B
    private static let root7: UInt64 = 0xA54F_F53A_5F1D_36F1

    private var state: UInt64
    private var count: UInt64 = 0

    package init(seed: UInt64 = 0) {
        state = Self.fold(seed ^ Self.root2, Self.root3)
    }

    package mutating func combine(_ first: UInt64, _ second: UInt64) {
        state = Self.mix(state, first, second)
    }

    package mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        let end = bytes.count
        var offset = 0
        while end - offset >= 16 {
            combine(Self.word(bytes, at: offset), Self.word(bytes, at: offset + 8))
            offset += 16
        }
        if end - offset >= 8 {
            // The second word may repeat bytes of the first. The count in the result keeps the lengths apart.
            combine(Self.word(bytes, at: offset), Self.word(bytes, at: end - 8))
        } else if offset < end {
            var rest: UInt64 = 0
            for index in offset..<end { rest = rest << 8 | UInt64(bytes[index]) }
            combine(rest, 0)
        }
        count &+= UInt64(end)
    }

    // MARK: Files

    /// Hashes a long file. Each product waits for the one before it, so four states take the bytes in turn and become
    /// one at the end; that is more than twice as fast.
    package static func value(ofFile bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = ContentHash()
        let start = bytes.count >= longFile ? hash.combineLanes(bytes) : 0
        hash.combine(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        hash.count = UInt64(bytes.count)
        return hash.value
    }

    private static let longFile = 4_096
    private static let stride = 64

    /// - Returns: The offset of the remaining bytes.
    private mutating func combineLanes(_ bytes: UnsafeRawBufferPointer) -> Int {
        var (a, b, c, d) = (state, state ^ Self.root2, state ^ Self.root3, state ^ Self.root7)
        var offset = 0
        while bytes.count - offset >= Self.stride {
            a = Self.mix(a, Self.word(bytes, at: offset), Self.word(bytes, at: offset + 8))
            b = Self.mix(b, Self.word(bytes, at: offset + 16), Self.word(bytes, at: offset + 24))
            c = Self.mix(c, Self.word(bytes, at: offset + 32), Self.word(bytes, at: offset + 40))
            d = Self.mix(d, Self.word(bytes, at: offset + 48), Self.word(bytes, at: offset + 56))
            offset += Self.stride
        }
        state = a
        combine(b, c)
        combine(d, Self.root7)
        return offset
    }

    package var value: UInt64 {
        Self.fold(state ^ Self.root7, count ^ Self.root3)
    }

    package static func value(of bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var hash = ContentHash(seed: seed)
        hash.combine(bytes)
        return hash.value
    }

    /// The state is also added outside of the product, where a factor of zero can't erase it.
    private static func mix(_ state: UInt64, _ first: UInt64, _ second: UInt64) -> UInt64 {
        state ^ fold(first ^ root5, second ^ state)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

extension UnsafeRawBufferPointer {
    /// Compares eight bytes at a time, for fast lookups by key.
    @inlinable
    func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        // Two copies of one string share their bytes.
        if baseAddress == other.baseAddress { return true }
        guard count >= 8 else {
            for offset in 0..<count where self[offset] != other[offset] { return false }
            return true
        }
        // The last eight bytes first, because names that differ often begin alike. Some of them may be compared twice.
        let last = count &- 8
        guard word(at: last) == other.word(at: last) else { return false }
        var offset = 0
        while offset < last {
            guard word(at: offset) == other.word(at: offset) else { return false }
            offset &+= 8
        }
        return true
    }

    /// Orders by bytes, comparing eight at a time.
    func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        let shared = Swift.min(count, other.count)
        var offset = 0
        while offset + 8 <= shared {
            let (mine, theirs) = (word(at: offset).bigEndian, other.word(at: offset).bigEndian)
            if mine != theirs { return mine < theirs }
            offset += 8
        }
        while offset < shared {
            if self[offset] != other[offset] { return self[offset] < other[offset] }
            offset += 1
        }
        return count < other.count
    }

    @inlinable
    func word(at offset: Int) -> UInt64 { loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
}

extension SettingValue.Entries {
    /// The indices of the entries in file order: by the bytes of their keys in UTF-8, which is also the order of their
    /// Unicode scalars. Unlike the order of strings, it does not depend on the Unicode version.
    ///
    /// Indices rather than entries: copying those of a large dictionary, and retaining their references, takes longer
    /// than sorting them.
    func placesSortedByKey() -> [Index] {
        guard count > 1 else { return isEmpty ? [] : [startIndex] }
        var keys = KeyOrder()
        keys.reserve(count)
        var places: [Index] = []
        places.reserveCapacity(count)
        var place = startIndex
        while place != endIndex {
            keys.append(name(at: place))
            places.append(place)
            formIndex(after: &place)
        }
        return keys.sorted().map { places[$0] }
    }

    /// Returns the entries themselves in that order.
    package func sortedByKey() -> [Element] {
        placesSortedByKey().map { self[$0] }
    }
}

/// Sorts strings by their bytes in UTF-8.
///
/// All bytes are in one buffer, so that a comparison follows and retains no references. Most keys of a large dictionary
/// start alike, so each comes with the eight bytes after the shared prefix, as a number: these decide most comparisons.
private struct KeyOrder {
    private struct Key {
        var rank: UInt64 = 0
        let start: Int
        let end: Int
        let number: Int
    }

    private var bytes: [UInt8] = []
    private var keys: [Key] = []

    mutating func reserve(_ count: Int) {
        keys.reserveCapacity(count)
        bytes.reserveCapacity(count * 24)
    }

    mutating func append(_ key: String) {
        let start = bytes.count
        bytes.append(contentsOf: key.utf8)
        keys.append(Key(start: start, end: bytes.count, number: keys.count))
    }

    /// - Returns: The numbers of the keys, counted in order of appending, sorted by key.
    mutating func sorted() -> [Int] {
        bytes.withUnsafeBytes { bytes in
            let shared = sharedPrefixLength(bytes)
            for index in keys.indices {
                keys[index].rank = Self.number(at: keys[index].start + shared, keys[index].end, bytes)
            }
            keys.sort { Self.precedes($0, $1, bytes, shared) }
        }
        return keys.map(\.number)
    }

    private static func precedes(_ one: Key, _ other: Key, _ bytes: UnsafeRawBufferPointer, _ shared: Int) -> Bool {
        guard one.rank == other.rank else { return one.rank < other.rank }
        var offset = shared + 8
        while one.start + offset < one.end || other.start + offset < other.end {
            let left = number(at: one.start + offset, one.end, bytes)
            let right = number(at: other.start + offset, other.end, bytes)
            guard left == right else { return left < right }
            offset += 8
        }
        // The shorter key ends where the other one has zeros.
        return one.end - one.start < other.end - other.start
    }

    /// Eight bytes as a number that sorts alike; missing bytes count as zero.
    private static func number(at start: Int, _ end: Int, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        if start + 8 <= end { return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)) }
        var number: UInt64 = 0
        for index in start..<max(start, start + 8) {
            number = number << 8 | (index < end ? UInt64(bytes[index]) : 0)
        }
        return number
    }

    /// The length of the prefix that all keys share.
    private func sharedPrefixLength(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let first = keys.first else { return 0 }
        var length = first.end - first.start
        for key in keys {
            length = min(length, key.end - key.start)
            var index = 0
            while index < length, bytes[first.start + index] == bytes[key.start + index] { index += 1 }
            length = index
        }
        return length
    }
}

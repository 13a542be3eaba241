/// The order of strings by their bytes in UTF-8, which is also that of their Unicode scalars. Unlike the order of
/// strings, it does not depend on the Unicode version.
///
/// Pure. All strings are in one buffer, so that following them counts no references. Most keys of a large dictionary
/// start alike, so each has a rank: the eight bytes after the shared prefix, as a number. Many keys are sorted by the
/// bytes of their ranks, because a processor predicts half of the comparisons wrongly. Keys of equal rank are sorted
/// again, by the bytes that follow.
struct KeyOrder {
    private struct Key {
        var rank: UInt64
        let number: Int
    }

    private let bytes: UnsafeRawBufferPointer
    private let ranges: [Range<Int>]

    /// With fewer keys, comparing is faster than counting bytes.
    private static let manyKeys = 128

    /// - Returns: The indices of the ranges, sorted by the bytes there.
    static func indices(sorting ranges: [Range<Int>], of bytes: UnsafeRawBufferPointer) -> [Int] {
        var keys = ranges.indices.map { Key(rank: 0, number: $0) }
        var spare = keys.count < manyKeys ? [] : keys
        let order = KeyOrder(bytes: bytes, ranges: ranges)
        keys.withUnsafeMutableBufferPointer { keys in
            spare.withUnsafeMutableBufferPointer { spare in order.sort(keys, spare) }
        }
        return keys.map(\.number)
    }

    private func sort(_ keys: UnsafeMutableBufferPointer<Key>, _ spare: UnsafeMutableBufferPointer<Key>) {
        // Keys that share a prefix of at least this length, and have to be sorted.
        var runs = [(range: 0..<keys.count, prefix: 0)]
        while let (range, known) = runs.popLast() {
            let run = UnsafeMutableBufferPointer(rebasing: keys[range])
            let prefix = sharedPrefix(of: run, from: known)
            let difference = rank(run, after: prefix)
            // All ranks are equal only if a key ends where others have zeros.
            guard run.count >= Self.manyKeys, difference != 0 else {
                sortByComparing(run, after: prefix)
                continue
            }
            Self.sortByRank(run, UnsafeMutableBufferPointer(rebasing: spare[range]), difference)
            var start = 0
            while start < run.count {
                var end = start + 1
                while end < run.count, run[end].rank == run[start].rank { end += 1 }
                if end - start > 1 { runs.append((range.lowerBound + start..<range.lowerBound + end, prefix)) }
                start = end
            }
        }
    }

    // MARK: Prefixes and ranks

    /// Returns the length of the prefix that all keys share.
    ///
    /// - Parameter known: A length that they are known to share.
    private func sharedPrefix(of keys: UnsafeMutableBufferPointer<Key>, from known: Int) -> Int {
        guard let first = keys.first.map({ ranges[$0.number] }) else { return known }
        var length = first.count
        for key in keys {
            let range = ranges[key.number]
            length = sharedPrefix(first.lowerBound, range.lowerBound, from: known, upTo: min(length, range.count))
        }
        return length
    }

    private func sharedPrefix(_ one: Int, _ other: Int, from known: Int, upTo limit: Int) -> Int {
        var offset = known
        while offset + 8 <= limit {
            let difference = UInt64(littleEndian: bytes.word(at: one + offset) ^ bytes.word(at: other + offset))
            guard difference == 0 else { return offset + difference.trailingZeroBitCount / 8 }
            offset += 8
        }
        while offset < limit, bytes[one + offset] == bytes[other + offset] { offset += 1 }
        return offset
    }

    /// - Returns: The bits in which the ranks differ.
    private func rank(_ keys: UnsafeMutableBufferPointer<Key>, after prefix: Int) -> UInt64 {
        var difference: UInt64 = 0
        for index in keys.indices {
            let range = ranges[keys[index].number]
            let rank = number(at: range.lowerBound + prefix, range.upperBound)
            keys[index].rank = rank
            difference |= rank ^ keys[0].rank
        }
        return difference
    }

    /// Eight bytes as a number that sorts alike; bytes after the end count as zero.
    private func number(at start: Int, _ end: Int) -> UInt64 {
        guard start + 8 <= bytes.count else {
            return (start..<start + 8).reduce(0) { $0 << 8 | ($1 < end ? UInt64(bytes[$1]) : 0) }
        }
        let number = UInt64(bigEndian: bytes.word(at: start))
        guard start + 8 > end else { return number }
        let missing = UInt64(8 * (start + 8 - end))
        return start < end ? (number &>> missing) &<< missing : 0
    }

    // MARK: Sorting

    private func sortByComparing(_ keys: UnsafeMutableBufferPointer<Key>, after prefix: Int) {
        var keys = keys
        keys.sort { precedes($0, $1, prefix) }
    }

    private func precedes(_ one: Key, _ other: Key, _ prefix: Int) -> Bool {
        guard one.rank == other.rank else { return one.rank < other.rank }
        let (left, right) = (ranges[one.number], ranges[other.number])
        var offset = prefix + 8
        while offset < max(left.count, right.count) {
            let (mine, theirs) = (
                number(at: left.lowerBound + offset, left.upperBound),
                number(at: right.lowerBound + offset, right.upperBound)
            )
            guard mine == theirs else { return mine < theirs }
            offset += 8
        }
        // The shorter key ends where the other one has zeros.
        return left.count < right.count
    }

    /// Sorts by one byte of the ranks after another, from the last to the first, without changing the order of keys
    /// that are equal there.
    ///
    /// - Parameter difference: The bits in which the ranks differ.
    private static func sortByRank(
        _ keys: UnsafeMutableBufferPointer<Key>, _ spare: UnsafeMutableBufferPointer<Key>, _ difference: UInt64
    ) {
        var (source, target) = (keys, spare)
        for shift in stride(from: UInt64(0), to: 64, by: 8) where (difference &>> shift) & 0xFF != 0 {
            var starts = [Int](repeating: 0, count: 257)
            for key in source { starts[Int((key.rank &>> shift) & 0xFF) + 1] += 1 }
            for byte in 1...256 { starts[byte] += starts[byte - 1] }
            for key in source {
                let byte = Int((key.rank &>> shift) & 0xFF)
                target[starts[byte]] = key
                starts[byte] += 1
            }
            swap(&source, &target)
        }
        if source.baseAddress != keys.baseAddress {
            for index in keys.indices { keys[index] = source[index] }
        }
    }
}

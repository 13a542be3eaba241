extension [String: SettingValue] {
    /// The entries in the order in which files have them: by the bytes of their keys in UTF-8, which is also the order
    /// of their Unicode scalars. It does not depend on a version of Unicode, as that of strings does.
    ///
    /// Most keys of a large dictionary start alike, so the eight bytes after what all of them share decide nearly every
    /// comparison. That makes writing a large file about twice as fast as comparing strings.
    func sortedByKey() -> [Element] {
        let entries = Array(self)
        let shared = sharedPrefixLength
        var ranked = entries.indices.map { index in
            (rank: entries[index].key.rank(after: shared), index: index)
        }
        ranked.sort { left, right in
            guard left.rank == right.rank else { return left.rank < right.rank }
            return entries[left.index].key.utf8.lexicographicallyPrecedes(entries[right.index].key.utf8)
        }
        return ranked.map { entries[$0.index] }
    }

    /// How many bytes all keys start with.
    private var sharedPrefixLength: Int {
        guard let first = keys.first.map({ Array($0.utf8) }) else { return 0 }
        var length = first.count
        for var key in keys {
            key.withUTF8 { bytes in
                length = Swift.min(length, bytes.count)
                for index in 0..<length where bytes[index] != first[index] {
                    length = index
                    break
                }
            }
        }
        return length
    }
}

extension String {
    /// The eight bytes after the first `length`, as a number of the same order; zeros where there are none.
    fileprivate func rank(after length: Int) -> UInt64 {
        var text = self
        return text.withUTF8 { bytes in
            var rank: UInt64 = 0
            for index in length..<(length + 8) {
                rank = rank << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
            }
            return rank
        }
    }
}

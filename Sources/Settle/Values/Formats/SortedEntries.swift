extension SettingValue.Entries {
    /// Returns the entries in file order: by the bytes of their keys in UTF-8.
    package func sortedByKey() -> [Element] {
        guard count > 1 else { return Array(self) }
        var bytes: [UInt8] = []
        var (keys, places): ([Range<Int>], [Index]) = ([], [])
        bytes.reserveCapacity(count * 24)
        keys.reserveCapacity(count)
        places.reserveCapacity(count)
        var place = startIndex
        while place != endIndex {
            let start = bytes.count
            bytes.append(contentsOf: name(at: place).utf8)
            keys.append(start..<bytes.count)
            // Copying the entries of a large dictionary, and retaining their references, takes longer than sorting.
            places.append(place)
            formIndex(after: &place)
        }
        return bytes.withUnsafeBytes { KeyOrder.indices(sorting: keys, of: $0) }.map { self[places[$0]] }
    }
}

extension SettingValue.Entries {
    /// Returns the entries in file order: by the bytes of their keys in UTF-8.
    package func sortedByKey() -> [Element] {
        table.positionsByName.map { (table.entries[$0].name.text, table.entries[$0].value) }
    }
}

extension EntryTable {
    /// The positions of the entries in file order.
    var positionsByName: [Int] {
        let isSorted = entries.indices.dropFirst().allSatisfy {
            entries[$0 - 1].name.text.precedesByBytes(entries[$0].name.text)
        }
        // As after reading a file that has sorted keys.
        guard !isSorted else { return Array(entries.indices) }
        var bytes: [UInt8] = []
        var names: [Range<Int>] = []
        bytes.reserveCapacity(entries.count * 24)
        names.reserveCapacity(entries.count)
        for entry in entries {
            let start = bytes.count
            bytes.append(contentsOf: entry.name.text.utf8)
            names.append(start..<bytes.count)
        }
        return bytes.withUnsafeBytes { KeyOrder.indices(sorting: names, of: $0) }
    }
}

extension RandomAccessCollection {
    /// The first index at which a condition holds that holds at all later ones too; `endIndex` if there is none.
    package func firstIndexInOrder(where condition: (Element) -> Bool) -> Index {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = index(low, offsetBy: distance(from: low, to: high) / 2)
            if condition(self[middle]) { high = middle } else { low = index(after: middle) }
        }
        return low
    }
}

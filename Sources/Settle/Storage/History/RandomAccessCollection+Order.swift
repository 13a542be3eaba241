extension RandomAccessCollection {
    /// Returns the first index at which a condition holds that also holds at all later ones; `endIndex` if there is
    /// none.
    package func firstIndexInOrder(where condition: (Element) -> Bool) -> Index {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = index(low, offsetBy: distance(from: low, to: high) / 2)
            if condition(self[middle]) { high = middle } else { low = index(after: middle) }
        }
        return low
    }
}

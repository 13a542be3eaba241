extension Sequence {
    /// Returns the elements in the order of their keys.
    ///
    /// The standard library's sort is compiled separately for each type of elements and each closure, 4 KB a time: here
    /// all share the one that sorts keys.
    func sorted(by key: (Element) -> SettingKey) -> [Element] {
        let elements = Array(self)
        guard elements.count > 1 else { return elements }
        return places(sortedBy: elements.map(key)).map { elements[$0] }
    }
}

@inline(never)
private func places(sortedBy keys: [SettingKey]) -> [Int] {
    keys.indices.sorted { keys[$0] < keys[$1] }
}

// The standard library's names, so that callers use these without thinking about it.
extension Sequence<SettingKey> {
    func sorted() -> [SettingKey] { inOrder(Array(self)) }
}

extension Sequence<String> {
    func sorted() -> [String] { inOrder(Array(self)) }
}

@inline(never)
private func inOrder(_ keys: consuming [SettingKey]) -> [SettingKey] {
    keys.sort()
    return keys
}

@inline(never)
private func inOrder(_ texts: consuming [String]) -> [String] {
    texts.sort()
    return texts
}

extension SettingTree {
    /// Sets each value at its key, and removes keys whose value is `nil`.
    public mutating func apply(_ values: [SettingKey: SettingValue?]) {
        // Sorted, so that a dictionary and a key inside it always result in the same tree: the inner key wins.
        apply(inOrder: values.sorted(by: \.key).map { ($0.key, $0.value) })
    }
}

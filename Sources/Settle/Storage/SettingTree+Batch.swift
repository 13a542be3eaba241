extension SettingTree {
    /// Sets each value at its key, and removes the keys whose value is `nil`.
    package mutating func apply(_ values: [SettingKey: SettingValue?]) {
        // In order, so that a dictionary and a key inside it give the same tree every time: the inner key wins.
        apply(inOrder: values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}

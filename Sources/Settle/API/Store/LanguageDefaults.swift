/// Defaults that were registered for languages. Guarded by the writer's lock of their store.
struct LanguageDefaults {
    private var trees: [String: SettingTree] = [:]
    /// The user's languages, the first one before all others, with those that each falls back to.
    var order: [String] = []

    mutating func register(_ values: [SettingKey: SettingValue?], for language: String) {
        trees[language, default: SettingTree()].apply(values)
    }

    /// The defaults for the user's languages: for each key, the value for the first language that has one.
    var tree: SettingTree {
        order.reversed().reduce(into: SettingTree()) { tree, language in
            guard let values = trees[language] else { return }
            for key in values.leafKeys { tree[key] = values[key] }
        }
    }
}

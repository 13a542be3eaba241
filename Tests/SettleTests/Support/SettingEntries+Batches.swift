import Settle

extension SettingValue.Entries {
    /// The entries as top-level keys of a batch.
    func mapValues<Value>(_ transform: (SettingValue) -> Value) -> [SettingKey: Value] {
        Dictionary(uniqueKeysWithValues: map { (.path($0.key), transform($0.value)) })
    }
}

extension SettingTree {
    /// The tree after a batch.
    init(storing batch: StorageBatch, over root: SettingValue.Entries = [:]) {
        self.init(root)
        apply(batch.values)
    }
}

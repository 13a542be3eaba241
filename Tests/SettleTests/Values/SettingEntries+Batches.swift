import Settle

extension SettingValue.Entries {
    /// The entries as keys of the top level, as a batch has them.
    func mapValues<Value>(_ transform: (SettingValue) -> Value) -> [SettingKey: Value] {
        Dictionary(uniqueKeysWithValues: map { (.path($0.key), transform($0.value)) })
    }
}

extension SettingTree {
    /// What is there after a batch.
    init(storing batch: StorageBatch, over root: SettingValue.Entries = [:]) {
        self.init(root)
        apply(batch.values)
    }
}

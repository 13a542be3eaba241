import Settle

extension Storage {
    /// A checkpoint of a storage that has what it needs for it already.
    func checkpoint() throws(StorageError) {
        _ = try checkpoint(SettingTree(), at: .settled)
    }
}

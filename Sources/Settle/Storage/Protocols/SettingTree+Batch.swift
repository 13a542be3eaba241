extension SettingTree {
    /// Sets each value at its key, and removes keys whose value is `nil`.
    public mutating func apply(_ values: [SettingKey: SettingValue?]) {
        // Sorted, so that a dictionary and a key inside it always result in the same tree: the inner key wins.
        apply(inOrder: values.sorted(by: \.key).map { ($0.key, $0.value) })
    }

    /// Checks ``StorageBatch/Condition/migrated(within:)`` for a storage that has read the stored values, or at least
    /// those at `$settle` and within it.
    ///
    /// - Throws: ``StorageError`` with ``StorageError/Code/migrated`` if a migration is recorded that `known` does not
    ///   name, or if the record can't be read.
    public func checkMigrations(within known: [String]) throws(StorageError) {
        if let refusal = MigrationRecord(in: self).refusal(within: known) { throw refusal }
    }
}

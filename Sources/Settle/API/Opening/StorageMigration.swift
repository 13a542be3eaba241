/// Migrates the values of a storage, before a store is created on it.
///
///     lock ▶ merge others' changes ▶ run the steps ▶ keep the previous version ▶ append all changes as one batch
///         (synced) ▶ checkpoint ▶ unlock
///
/// The batch makes the migration all or nothing: until it is stored, everything is as it was. A storage without a lock
/// refuses the batch if others were faster, and the steps run again on the values that they have stored. A storage that
/// is not shared belongs to this store alone.
struct StorageMigration: Sendable {
    let storage: any Storage
    let list: [SettingsMigration]
    let time: TimeSource

    /// - Parameter contents: The loaded contents; receives the contents that are stored afterwards.
    func run(on contents: inout StorageContents) async throws {
        guard try !plan(for: contents).due.isEmpty else { return }
        var (repetitions, contention) = (Repetitions(), Persister.contentionPause)
        while true {
            let lease = try await call { [storage] () throws(StorageError) in
                try await (storage as? any SharedStorage)?.lockForTransaction()
            }
            do {
                try await migrate(&contents, under: lease)
                await unlock(lease)
                return
            } catch {
                await unlock(lease)
                guard (error as? StorageError)?.code == .conflict, repetitions.mayRunAgain(now: time.elapsed()) else {
                    throw error
                }
                let pause = contention.next()
                if contention.attempts > 1 { try await time.sleep(time.elapsed() + pause) }
            }
        }
    }

    private func plan(for contents: StorageContents) throws(MigrationFailure) -> MigrationPlan {
        try MigrationPlan(list, recorded: MigrationRecord(in: contents.tree))
    }

    private func unlock(_ lease: StorageLease?) async {
        if let lease { await (storage as? any SharedStorage)?.unlock(lease) }
    }

    private func migrate(_ contents: inout StorageContents, under lease: StorageLease?) async throws {
        try await fetch(&contents)
        // Another process may have been first.
        let plan = try plan(for: contents)
        guard !plan.due.isEmpty else { return }
        let old = contents.tree
        let new = try plan.apply(to: old, addingOnly: storage.limits.sharesVersions) { [storage] key, value in
            try storage.check(value, at: key)
        }
        if !old.root.isEmpty { try await (storage as? any CheckpointingStorage)?.keepVersion(old) }
        let receipt = try await append(batch(from: old, to: new, at: contents.position, under: lease))
        contents.tree = new
        contents.position = receipt.position
        // The store makes up for a failure here: everything is stored.
        _ = try? await storage.bringToRest(new, for: .resting)
    }

    /// Merges the changes that others have stored since the load.
    private func fetch(_ contents: inout StorageContents) async throws {
        guard let shared = storage as? any SharedStorage else { return }
        let found = try await call { [position = contents.position] () throws(StorageError) in
            try await shared.changes(after: position)
        }
        contents.position = found.position
        for change in found.changes {
            if case .unusable(let error) = change.content { throw error }
            change.apply(to: &contents.tree)
        }
    }

    private func batch(
        from old: SettingTree, to new: SettingTree, at position: StoragePosition, under lease: StorageLease?
    ) -> StorageBatch {
        var (values, expected): ([SettingKey: SettingValue?], [SettingKey: SettingValue]) = ([:], [:])
        var mutations: [StoredMutation] = []
        for change in TreeDifference(from: old, to: new).changes {
            values.updateValue(change.new, forKey: change.key)
            expected[change.key] = change.old
            mutations.append(StoredMutation(key: change.key, oldValue: change.old, newValue: change.new))
        }
        var conditions: [StorageBatch.Condition] = []
        if storage is any SharedStorage {
            conditions = lease.map { $0.timeToLive == nil ? [] : [.under($0)] } ?? [.at(position)]
        }
        let isTold = (storage as? any HistoryStorage)?.keepsHistory == true
        let transaction = StoredTransaction(
            time: time.now(), author: .current, origin: .migration, mutations: mutations.sorted(by: \.key))
        return StorageBatch(
            revision: 1, values: values, expectedValues: expected, transactions: isTold ? [transaction] : [],
            conditions: conditions)
    }

    /// Appends a batch, once more if the answer was lost: by its identity the storage knows not to store it twice.
    private func append(_ batch: StorageBatch) async throws(StorageError) -> StorageReceipt {
        let append = { @Sendable [storage] () async throws(StorageError) in
            try await storage.append(batch, durability: .synced)
        }
        do throws(StorageError) {
            return try await call(append)
        } catch {
            guard error.isOutcomeUnknown else { throw error }
            return try await call(append)
        }
    }

    private func call<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        try await storage.limits.call(time, body)
    }
}

extension SettingsError {
    /// - Parameter error: The error that has kept a storage from being migrated.
    static func migrationFailed(_ error: any Error) -> SettingsError {
        let failure = error as? MigrationFailure
        let isUnknown = (error as? StorageError)?.isOutcomeUnknown == true
        let rest = isUnknown ? "The new values may have been stored." : "The stored values are unchanged."
        return SettingsError(
            .migrationFailed, "The settings can't be migrated. \(error) \(rest)", key: failure?.key?.description,
            underlying: failure?.underlying ?? error)
    }
}

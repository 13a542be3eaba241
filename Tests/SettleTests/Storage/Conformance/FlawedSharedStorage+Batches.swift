import Settle

/// Conditions and identities.
extension FlawedSharedStorage {
    /// The batch as the memory is given it: where the flaw is in how it is handled, another one. Named leases are not
    /// the memory's.
    func flawed(_ batch: StorageBatch) async throws(StorageError) -> StorageBatch {
        let last = state.withLock { $0.lastBatch }
        var batch = batch
        if last?.id != batch.id { try checkNamedLeases(of: batch) }
        batch.conditions.removeAll(where: \.isNamedLease)
        for case .at(let expected) in batch.conditions {
            try await compare(expected, with: position(), &batch, isRepeated: last?.id == batch.id)
        }
        switch flaw {
        case .storesRepeatedBatchesAgain: batch.id = StorageBatch.ID()
        case .forgetsBatchesAfterOthers:
            guard let last, last.id == batch.id, try await position() != last.position else { break }
            batch.id = StorageBatch.ID()
            batch.conditions.removeAll(where: \.isPosition)
        case .ignoresPositions: batch.conditions.removeAll(where: \.isPosition)
        case .ignoresPositionsWithoutValues: if batch.values.isEmpty { batch.conditions = [] }
        case .ignoresLostLeases: batch.conditions.removeAll(where: \.isLease)
        case .ignoresMigrations: batch.conditions.removeAll(where: \.isMigration)
        case .emptyBatchesMakePresent: if batch.values.isEmpty { batch.values = ["nothing": nil] }
        case .keepsRemovedInnerKeys: batch.values = batch.values.filter { $1 != nil || $0.parents.isEmpty }
        case .keepsRemovedDictionaries:
            batch.values = batch.values.filter { key, value in
                guard value == nil, case .dictionary? = memory.tree[key] else { return true }
                return false
            }
        case .foldsCaseOfKeys:
            if let value = batch.values.removeValue(forKey: "A") { batch.values.updateValue(value, forKey: "a") }
        default: break
        }
        return batch
    }

    private func checkNamedLeases(of batch: StorageBatch) throws(StorageError) {
        for case .under(let lease) in batch.conditions where lease.name != nil && !leases.holds(lease) {
            if flaw != .ignoresNamedLeases { throw StorageError(.leaseLost, "The lease has ended.") }
        }
    }

    /// Where the flaw is in the comparison itself, makes it in place of the memory.
    private func compare(
        _ expected: StoragePosition, with position: StoragePosition, _ batch: inout StorageBatch, isRepeated: Bool
    ) async throws(StorageError) {
        let conflict = StorageError(.conflict, "Others were faster.")
        switch flaw {
        case .refusesRepeatedBatches: if position != expected { throw conflict }
        case .comparesBeforeStoring where !isRepeated:
            if position != expected { throw conflict }
            await Task.yield()
            batch.conditions.removeAll(where: \.isPosition)
        case .storesDespiteConflict where !isRepeated && position != expected:
            _ = try await memory.append(StorageBatch(revision: 1, values: batch.values), durability: .synced)
            throw conflict
        default: break
        }
    }
}

extension StorageBatch.Condition {
    fileprivate var isPosition: Bool { if case .at = self { true } else { false } }
    fileprivate var isMigration: Bool { if case .migrated = self { true } else { false } }
    fileprivate var isLease: Bool { if case .under = self { true } else { false } }
    fileprivate var isNamedLease: Bool { if case .under(let lease) = self { lease.name != nil } else { false } }
}

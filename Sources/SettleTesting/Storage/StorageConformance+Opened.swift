import Settle

extension StorageConformance {
    /// A storage used by a store of its own, whose number its batches carry.
    struct Opened: StorageWrapper {
        let base: any Storage
        private let store = UInt64.random(in: .min ... .max)
        private let isClosed = LockedValue(false)

        init(_ base: any Storage) { self.base = base }

        func append(
            _ batch: StorageBatch, durability: StorageDurability
        ) async throws(StorageError) -> StorageReceipt {
            try await base.append(signed(batch), durability: durability)
        }

        /// Closes the storage, once. A check that has closed it leaves nothing to close to the code that runs the
        /// checks.
        func close() async {
            let wasClosed = isClosed.withLock { isClosed in
                defer { isClosed = true }
                return isClosed
            }
            if !wasClosed { await base.close() }
        }

        /// Returns the batch as it is passed to the storage.
        func signed(_ batch: StorageBatch) -> StorageBatch {
            var batch = batch
            batch.id.store = store
            return batch
        }

        /// The wrapped storage: a wrapper has every function, but can do only what it forwards to.
        private var innermost: any Storage {
            var storage = base
            while let wrapper = storage as? any StorageWrapper { storage = wrapper.base }
            return storage
        }

        var isShared: Bool { innermost is any SharedStorage }
        var hasHistory: Bool { innermost is any HistoryStorage }
        var isCheckpointing: Bool { innermost is any CheckpointingStorage }
    }

    /// Makes a new storage without loading it.
    func made(_ number: Int) async throws -> Opened { Opened(try await makeStorage(number)) }

    /// Makes a new storage, loaded and ready for appends.
    func opened(_ number: Int) async throws -> Opened {
        let storage = try await made(number)
        _ = try await storage.load()
        return storage
    }

    /// Makes another storage of a closed one's data, without loading it.
    func reopened(_ number: Int, _ closed: Opened) async throws -> Opened {
        Opened(try await reopen(number, closed.base))
    }

    /// Gives a storage a fault. If the fault can't be produced, closes the storage and skips the check.
    func produce(_ fault: Fault, in storage: Opened) async throws {
        if let setFault, try await setFault(storage.base, fault) { return }
        await storage.close()
        throw LeftOut(setFault == nil ? "there is no `setFault`" : "the fault `\(fault)` can't be produced")
    }

    /// Removes a fault.
    func heal(_ storage: Opened) async throws { _ = try await setFault?(storage.base, nil) }
}

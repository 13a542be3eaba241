import Settle

extension StorageConformance {
    /// A storage in the hands of a store of its own, whose number its batches carry.
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

        /// Closes the storage, once: a check that has closed it leaves the rest to what runs the checks.
        func close() async {
            let wasClosed = isClosed.withLock { isClosed in
                defer { isClosed = true }
                return isClosed
            }
            if !wasClosed { await base.close() }
        }

        /// The batch as the storage is given it.
        func signed(_ batch: StorageBatch) -> StorageBatch {
            var batch = batch
            batch.id.store = store
            return batch
        }

        /// What the storage is: a wrapper has every function, and can do only what it forwards to.
        private var innermost: any Storage {
            var storage = base
            while let wrapper = storage as? any StorageWrapper { storage = wrapper.base }
            return storage
        }

        var isShared: Bool { innermost is any SharedStorage }
        var hasHistory: Bool { innermost is any HistoryStorage }
    }

    /// A new storage, not loaded.
    func made(_ number: Int) async throws -> Opened { Opened(try await makeStorage(number)) }

    /// A new storage, loaded and ready for appends.
    func opened(_ number: Int) async throws -> Opened {
        let storage = try await made(number)
        _ = try await storage.load()
        return storage
    }

    /// Another storage of what a closed one has stored, not loaded.
    func reopened(_ number: Int, _ closed: Opened) async throws -> Opened {
        Opened(try await reopen(number, closed.base))
    }

    /// Gives a storage a fault. If that can't be done, closes the storage and leaves the check out.
    func produce(_ fault: Fault, in storage: Opened) async throws {
        if let setFault, try await setFault(storage.base, fault) { return }
        await storage.close()
        throw LeftOut(setFault == nil ? "there is no `setFault`" : "the fault `\(fault)` can't be produced")
    }

    /// Takes a fault away.
    func heal(_ storage: Opened) async throws { _ = try await setFault?(storage.base, nil) }
}

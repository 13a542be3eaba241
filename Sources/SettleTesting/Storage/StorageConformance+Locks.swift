import Settle

/// The lock for transactions.
extension StorageConformance {
    var lockChecks: [PairCheck] {
        [
            ("While a storage has the lock, another one stores nothing", locksOut),
            ("Under its own lock, a storage can append, and knows earlier external changes", appendsUnderLock),
            ("A lock that was released can be acquired again", locksAgain),
            ("Nothing is stored under a lease that has ended", storesNothingUnderALostLease),
        ]
    }

    private func locksOut(_ pair: Pair) async throws {
        let lease = try await lock(pair.first)
        let second = pair.second
        let late = batch(2, ["a": .integer(2)])
        // It waits for the lock, or throws.
        let append = Task { try await second.append(late, durability: .buffered) }
        for _ in 0..<200 { await Task.yield() }
        let (changes, position) = try await inForce(pair.first, after: lease.position)
        guard changes.isEmpty, position == lease.position else {
            await pair.first.unlock(lease)
            throw Mismatch("the other storage has appended \(changes)")
        }
        _ = try await pair.first.append(batch(3, ["a": .integer(3)], [.under(lease)]), durability: .buffered)
        await pair.first.unlock(lease)
        if (try? await append.value) == nil { _ = try await second.append(late, durability: .buffered) }
        // A batch that waited is stored after everything stored under the lock.
        try await expect(pair.second, toHave: ["start": .integer(0), "a": .integer(2)])
    }

    private func inForce(
        _ storage: Opened, after position: StoragePosition
    ) async throws -> ([ExternalChange], StoragePosition) {
        let found = try await storage.changes(after: position)
        return (found.changes, found.position)
    }

    private func appendsUnderLock(_ pair: Pair) async throws {
        try await append(["a": .integer(1)], to: pair.second)
        let lease = try await lock(pair.first)
        guard lease.position != pair.position else { throw Mismatch("the lease does not report external changes") }
        let changes = try await pair.first.changes(after: pair.position).changes
        guard changes.count == 1 else { throw Mismatch("the changes under the lock were \(changes)") }
        _ = try await pair.first.append(batch(2, ["b": .integer(2)], [.under(lease)]), durability: .buffered)
        await pair.first.unlock(lease)
        try await append(["c": .integer(3)], to: pair.first, .synced)
        try await expect(
            pair.second, toHave: ["start": .integer(0), "a": .integer(1), "b": .integer(2), "c": .integer(3)])
    }

    private func locksAgain(_ pair: Pair) async throws {
        for storage in [pair.first, pair.second, pair.first] {
            let lease = try await lock(storage)
            await storage.unlock(lease)
        }
        try await append(["a": .integer(1)], to: pair.second)
    }

    private func storesNothingUnderALostLease(_ pair: Pair) async throws {
        let lease = try await lock(pair.first)
        try await produce(.leases, in: pair.first)
        try await append(["a": .integer(2)], to: pair.second, .synced)
        try await expectError(.leaseLost, of: "an append under a lost lease") {
            _ = try await pair.first.append(batch(3, ["a": .integer(3)], [.under(lease)]), durability: .synced)
        }
        await pair.first.unlock(lease)
        try await expect(pair.second, toHave: ["start": .integer(0), "a": .integer(2)])
    }

    private func lock(_ storage: Opened) async throws -> StorageLease {
        if let lease = try await storage.lockForTransaction() { return lease }
        throw LeftOut("it has no lock for transactions")
    }
}

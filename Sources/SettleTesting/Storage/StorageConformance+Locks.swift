import Settle

/// The lock for transactions, and named locks.
extension StorageConformance {
    func lockChecks(_ makeOther: @escaping Other) -> [Check] {
        let checks: [(String, (Pair) async throws -> Void)] = [
            ("While a storage has the lock, nothing of another one is stored", locksOut),
            ("Under its own lock a storage can append, and others' changes before it are known", appendsUnderLock),
            ("A lock that was released can be acquired again", locksAgain),
            ("A named lock has one holder, and keeps nobody from appending", locksNames),
            ("Each lease of a name has a higher fencing number or no end", numbersLeases),
            ("A storage that closes releases its named locks", releasesAtClosing),
            ("Under a lease that has ended nothing is stored", storesNothingUnderALostLease),
        ]
        return onPairs(makeOther, checks)
    }

    private func locksOut(_ pair: Pair) async throws {
        guard let lease = try await pair.first.lockForTransaction() else { return }
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
        // Whatever waited is stored after what was stored under the lock.
        try await expect(pair.second, toHave: ["start": .integer(0), "a": .integer(2)])
    }

    private func inForce(
        _ storage: any SharedStorage, after position: StoragePosition
    ) async throws -> ([ExternalChange], StoragePosition) {
        let found = try await storage.changes(after: position)
        return (found.changes, found.position)
    }

    private func appendsUnderLock(_ pair: Pair) async throws {
        try await append(["a": .integer(1)], to: pair.second)
        guard let lease = try await pair.first.lockForTransaction() else { return }
        guard lease.position != pair.position else { throw Mismatch("the lease does not tell of others' changes") }
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
            guard let lease = try await storage.lockForTransaction() else { return }
            await storage.unlock(lease)
        }
        try await append(["a": .integer(1)], to: pair.second)
    }

    private func locksNames(_ pair: Pair) async throws {
        let (first, second) = (pair.first, pair.second)
        let a = try await expectLock("a", of: first)
        try await expectNoLock("a", of: second)
        try await expectNoLock("a", of: first)
        let b = try await expectLock("b", of: second)
        try await expectNoLock("b", of: first)
        try await append(["a": .integer(1)], to: first, .synced)
        try await append(["b": .integer(1)], to: second, .synced)
        if let lease = try await first.lockForTransaction() { await first.unlock(lease) }
        await first.unlock(a)
        try await expectNoLock("b", of: first)
        let again = try await expectLock("a", of: second)
        try await expectNoLock("a", of: first)
        for lease in [again, b] { await second.unlock(lease) }
    }

    private func numbersLeases(_ pair: Pair) async throws {
        let earlier = try await expectLock("Other-name_2", of: pair.first)
        await pair.first.unlock(earlier)
        let later = try await expectLock("Other-name_2", of: pair.second)
        await pair.second.unlock(later)
        guard later.timeToLive == nil || later.fencingNumber > earlier.fencingNumber else {
            throw Mismatch("\(later.fencingNumber) came after \(earlier.fencingNumber)")
        }
    }

    private func releasesAtClosing(_ pair: Pair) async throws {
        _ = try await expectLock("a", of: pair.first)
        await pair.first.close()
        let lease = try await expectLock("a", of: pair.second)
        await pair.second.unlock(lease)
    }

    private func storesNothingUnderALostLease(_ pair: Pair) async throws {
        guard let setFault, let lease = try await pair.first.lockForTransaction() else { return }
        guard try await setFault(pair.first, .leases) else { return await pair.first.unlock(lease) }
        try await append(["a": .integer(2)], to: pair.second, .synced)
        try await expectError(.leaseLost, of: "an append under a lost lease") {
            _ = try await pair.first.append(batch(3, ["a": .integer(3)], [.under(lease)]), durability: .synced)
        }
        await pair.first.unlock(lease)
        try await expect(pair.second, toHave: ["start": .integer(0), "a": .integer(2)])
    }

    private func expectLock(_ name: String, of storage: any SharedStorage) async throws -> StorageLease {
        if let lease = try await storage.tryLock(named: name) { return lease }
        throw Mismatch("“\(name)” could not be locked")
    }

    private func expectNoLock(_ name: String, of storage: any SharedStorage) async throws {
        if try await storage.tryLock(named: name) != nil { throw Mismatch("“\(name)” could be locked twice") }
    }
}

import Settle

/// Named locks.
extension StorageConformance {
    var leaseChecks: [PairCheck] {
        [
            ("A named lock has one holder, and keeps nobody from appending", locksNames),
            ("After a name is locked, the changes include everything that its last holder has stored", fetchesUpToLock),
            ("A storage that follows others does not lag behind a lock that it has taken", followsUpToLock),
            ("Each lease of a name has a higher fencing number or no end", numbersLeases),
            ("A storage that closes releases its named locks", releasesAtClosing),
            ("A lease can be renewed while it is held, and not when it has ended", renewsHeldLeases),
            ("A lease that is released late leaves the lock with its next holder", ignoresLateUnlocks),
            ("Nothing is stored under a named lease that has ended", storesNothingUnderAnEndedLease),
            ("A lease that can end has a time, and frees its name after it", endsLeases),
        ]
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

    private func fetchesUpToLock(_ pair: Pair) async throws { try await expectChanges(upToLockOf: pair) }

    private func followsUpToLock(_ pair: Pair) async throws {
        pair.first.watch { _ in }
        // From here on it may rely on what it is notified of.
        try await expectChanges(upToLockOf: pair, after: try await pair.first.changes(after: pair.position).position)
    }

    /// Expects what the last holder has stored from a read right after the lock, as in the closure of a store's
    /// `withLock`.
    private func expectChanges(upToLockOf pair: Pair, after position: StoragePosition? = nil) async throws {
        try await append(["a": .integer(1)], to: pair.second)
        let earlier = try await expectLock("a", of: pair.second)
        _ = try await pair.second.append(batch(3, ["b": .integer(1)], [.under(earlier)]), durability: .synced)
        await pair.second.unlock(earlier)
        // One that follows others may not know of the unlocking yet.
        let lease = try await lockWithinPatience("a", of: pair.first)
        var known = SettingTree(["start": .integer(0)])
        _ = try await merge(pair, into: &known, after: position)
        await pair.first.unlock(lease)
        try expect(known, ["start": .integer(0), "a": .integer(1), "b": .integer(1)])
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

    private func renewsHeldLeases(_ pair: Pair) async throws {
        let lease = try await expectLock("a", of: pair.first)
        let renewed = try await pair.first.renew(lease)
        guard renewed.name == lease.name, renewed.fencingNumber == lease.fencingNumber else {
            throw Mismatch("\(lease) was renewed as \(renewed)")
        }
        try await expectNoLock("a", of: pair.second)
        await pair.first.unlock(renewed)
        let next = try await expectLock("a", of: pair.second)
        try await expectError(.leaseLost, of: "the renewal of an earlier lease") {
            _ = try await pair.first.renew(renewed)
        }
        await pair.second.unlock(next)
    }

    private func ignoresLateUnlocks(_ pair: Pair) async throws {
        let earlier = try await expectLock("a", of: pair.first)
        await pair.first.unlock(earlier)
        let next = try await expectLock("a", of: pair.second)
        await pair.first.unlock(earlier)
        try await expectNoLock("a", of: pair.first)
        _ = try await pair.second.renew(next)
        await pair.second.unlock(next)
    }

    private func storesNothingUnderAnEndedLease(_ pair: Pair) async throws {
        let earlier = try await expectLock("a", of: pair.first)
        _ = try await pair.first.append(batch(2, ["a": .integer(1)], [.under(earlier)]), durability: .synced)
        await pair.first.unlock(earlier)
        let next = try await expectLock("a", of: pair.second)
        try await expectError(.leaseLost, of: "an append under an earlier lease") {
            _ = try await pair.first.append(batch(3, ["a": .integer(2)], [.under(earlier)]), durability: .synced)
        }
        _ = try await pair.second.append(batch(4, ["b": .integer(3)], [.under(next)]), durability: .synced)
        await pair.second.unlock(next)
        try await expect(pair.second, toHave: ["start": .integer(0), "a": .integer(1), "b": .integer(3)])
    }

    /// Ends leases without the holder noticing: it was stopped, or could not reach the storage.
    private func endsLeases(_ pair: Pair) async throws {
        let earlier = try await expectLock("a", of: pair.first)
        guard earlier.timeToLive != nil else {
            await pair.first.unlock(earlier)
            let canEnd = try await setFault?(pair.first.base, .leases) ?? false
            if canEnd { throw Mismatch("it has no time, although it can end before it is released") }
            throw LeftOut("its leases last until they are released")
        }
        try await produce(.leases, in: pair.first)
        let next = try await lockWithinPatience("a", of: pair.second)
        guard next.fencingNumber > earlier.fencingNumber else {
            throw Mismatch("\(next.fencingNumber) came after \(earlier.fencingNumber)")
        }
        try await expectError(.leaseLost, of: "the renewal of a lease that has ended") {
            _ = try await pair.first.renew(earlier)
        }
        try await expectError(.leaseLost, of: "an append under a lease that has ended") {
            _ = try await pair.first.append(batch(2, ["a": .integer(1)], [.under(earlier)]), durability: .synced)
        }
        await pair.first.unlock(earlier)
        try await heal(pair.first)
        try await expectNoLock("a", of: pair.first)
        await pair.second.unlock(next)
        try await expect(pair.second, toHave: ["start": .integer(0)])
    }

    private func lockWithinPatience(_ name: String, of storage: Opened) async throws -> StorageLease {
        let lease = LockedValue<StorageLease?>(nil)
        let isLocked = await withinPatience {
            while !Task.isCancelled {
                if let found = try? await storage.tryLock(named: name) { return lease.withLock { $0 = found } }
                // Nothing reports when a name is free.
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        if isLocked, let lease = lease.withLock({ $0 }) { return lease }
        throw Mismatch("“\(name)” was still locked after \(patience)")
    }

    private func expectLock(_ name: String, of storage: Opened) async throws -> StorageLease {
        do throws(StorageError) {
            if let lease = try await storage.tryLock(named: name) { return lease }
        } catch {
            guard error.code == .unsupported else { throw error }
            throw LeftOut("it has no named locks")
        }
        throw Mismatch("“\(name)” could not be locked")
    }

    private func expectNoLock(_ name: String, of storage: Opened) async throws {
        if try await storage.tryLock(named: name) != nil { throw Mismatch("“\(name)” could be locked twice") }
    }
}

import Settle
import SettleTestSupport
import SettleTesting

/// What makes calls wait: holds of the storage, and threads with long writes.
extension StoreHistory {
    /// Holds a storage call in the middle of a flush, commit, checkpoint or close.
    func hold(_ member: StoreHistoryMember) async throws {
        guard let store = member.store, !member.isWriting, !member.isClosing, !isFileLocked, !member.hasTasks,
            members.allSatisfy({ $0.hold == nil })
        else { return await release(member) }
        member.heal()
        let trigger = below(5)
        let operation = trigger < 3 ? FailingStorage.Operation.append : .checkpoint
        let hold = member.failing.hold(operation)
        member.hold = hold
        note("\(member.name) will be held by \(operation)")
        switch trigger {
        case 0:
            write([.set("a", nextCount())], member, store)
            await flush(member, isKept: true)
        case 1: await commit(member, isKept: true)
        case 3:
            write([.set("b", nextCount())], member, store)
            await flush(member, isKept: true)
            try await advance(until: hold)
        default:
            write([.set("a", nextCount())], member, store)
            await close(member, isKept: true)
        }
        await hold.waitUntilReached()
    }

    /// Advances the clock until changes have settled and their checkpoint is held.
    func advance(until hold: StorageHold) async throws {
        let isReached = Flag()
        let waiter = Task {
            await hold.waitUntilReached()
            isReached.raise()
        }
        try await eventually("the checkpoint is held", advancing: clock, by: .milliseconds(250)) {
            isReached.isRaised
        }
        await waiter.value
    }

    func nextCount() -> Int {
        count += 1
        return count
    }

    func release(_ member: StoreHistoryMember) async {
        guard let hold = member.hold else { return }
        note("\(member.name) is held no longer")
        hold.release()
        member.hold = nil
        await collect()
    }

    func beginWriting(_ member: StoreHistoryMember) async {
        guard !member.isWriting, !member.isClosing, !member.hasTasks, member.store != nil else {
            return await endWriting(member)
        }
        let writes = below(3) == 0 ? [] : drawWrites(2)
        note("\(member.name) begins a long write: \(writes)")
        await member.beginWriting(writes, ledger)
    }

    func endWriting(_ member: StoreHistoryMember) async {
        guard member.isWriting else { return }
        note("\(member.name) ends the long write")
        await member.endWriting()
        await collect()
    }

    /// Waits for the calls that nothing holds up any more.
    func collect() async {
        guard members.allSatisfy({ !$0.mayHaveLock || ($0.hold == nil && !$0.isWriting) }) else { return }
        for member in members where member.hold == nil && !member.isWriting { await member.collect() }
        await removeClosed()
    }
}

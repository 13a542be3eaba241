import Settle
import SettleTesting
import Synchronization

/// Passes calls to another storage until its process is killed, which may happen at any call.
///
/// Calls of a dead process fail. Once it is buried, they succeed without effect, so that the rest of the process
/// finishes without retrying.
final class MortalStorage: StorageWrapper {
    let base: any Storage
    private let life: ProcessLife

    init(_ base: any Storage, of life: ProcessLife) {
        self.base = base
        self.life = life
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        let isOver = StorageReceipt(position: StoragePosition(0), durability: .synced)
        guard !batch.values.isEmpty else { return isOver }
        guard try life.beginWrite() else { return isOver }
        defer { life.endWrite() }
        return try await base.append(batch, durability: durability)
    }

    func checkpoint(_ tree: SettingTree, for reason: CheckpointReason) async throws(StorageError) -> Bool {
        guard try life.beginWrite(isAppend: false) else { return true }
        defer { life.endWrite() }
        return try await checkpointing?.checkpoint(tree, for: reason) ?? true
    }
}

/// Whether a simulated process is alive, and how many more batches it can store.
final class ProcessLife: Sendable {
    private struct State {
        var isDead = false
        var isBuried = false
        var appendsLeft = Int.max
        var writesUnderWay = 0
    }

    private let state = Mutex(State())

    var isDead: Bool { state.withLock { $0.isDead } }

    /// Ends the process: nothing is stored from now on.
    func end() {
        state.withLock { $0.isDead = true }
        // A write in progress ends first: a few system calls on another thread.
        while state.withLock({ $0.writesUnderWay > 0 }) {}
    }

    /// Lets the rest of a dead process finish.
    func bury() {
        end()
        state.withLock { $0.isBuried = true }
    }

    /// Kills the process when it is about to store another batch after this many.
    func end(afterAppends count: Int) {
        state.withLock { $0.appendsLeft = count }
    }

    /// Cancels ``end(afterAppends:)``.
    ///
    /// - Returns: Whether the process is still alive.
    func survive() -> Bool {
        state.withLock { state in
            state.appendsLeft = .max
            return !state.isDead
        }
    }

    /// - Returns: Whether to perform the write.
    fileprivate func beginWrite(isAppend: Bool = true) throws(StorageError) -> Bool {
        try state.withLock { (state) throws(StorageError) in
            if isAppend, state.appendsLeft == 0 { state.isDead = true }
            guard !state.isBuried else { return false }
            guard !state.isDead else { throw StorageError(.writeFailed, "The process of this storage is dead.") }
            if isAppend, state.appendsLeft < .max { state.appendsLeft -= 1 }
            state.writesUnderWay += 1
            return true
        }
    }

    fileprivate func endWrite() {
        state.withLock { $0.writesUnderWay -= 1 }
    }
}

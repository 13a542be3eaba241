import Settle

/// Forwards every call to another storage and records the promises that it makes.
final class CrashRecordingStorage: StorageWrapper {
    let base: any Storage
    private let log: CrashLog
    private let file: String
    /// Serializes saves: a store makes one at a time, but the crash run calls the storage too.
    private let turn = TaskTurn()

    /// - Parameter file: The name of the storage's file.
    init(_ base: any Storage, of file: String, log: CrashLog) {
        self.base = base
        self.file = file
        self.log = log
    }

    @discardableResult
    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        try await turn.run { () async throws(StorageError) in
            let number = log.begin(batch, in: file)
            let receipt = try await base.append(batch, durability: durability)
            log.update(file) { state in
                state.returned = max(state.returned, number)
                if receipt.durability == .synced { state.synced = max(state.synced, number) }
            }
            return receipt
        }
    }

    func checkpoint(_ tree: SettingTree, for reason: CheckpointReason) async throws(StorageError) -> Bool {
        try await turn.run { () async throws(StorageError) in
            let number = log.state(of: file)?.returned ?? 0
            let isAtRest = try await base.bringToRest(tree, for: reason)
            log.update(file) { state in
                // Even if the storage has put off writing its readable form, it has synced everything.
                state.synced = max(state.synced, number)
                if isAtRest { state.checkpointed = max(state.checkpointed, number) }
            }
            return isAtRest
        }
    }
}

extension CrashLog {
    /// - Returns: The number of the state that the batch leads to.
    fileprivate func begin(_ batch: StorageBatch, in file: String) -> Int {
        var number = 0
        update(file) { state in
            if !batch.values.isEmpty, var tree = state.trees.last {
                tree.apply(batch.values)
                state.trees.append(tree)
            }
            number = state.trees.count - 1
        }
        return number
    }
}

/// Runs one task after the other.
private final class TaskTurn: Sendable {
    private let state = LockedValue<(isTaken: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func run<Value>(_ body: () async throws(StorageError) -> Value) async throws(StorageError) -> Value {
        await begin()
        defer { end() }
        return try await body()
    }

    private func begin() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiting.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
    }

    private func end() {
        let next = state.withLock { state in
            state.isTaken = !state.waiting.isEmpty
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.resume()
    }
}

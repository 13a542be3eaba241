import Settle

/// The plain writes that are not known to be in the cluster. Pure.
struct PendingWrites: Sendable {
    /// The writes of an earlier process, oldest first.
    var inherited: [PendingTransaction] = []
    /// The writes that the store has and will append again.
    private(set) var repeated: [PendingTransaction] = []
    /// The last batch for which the store does not know whether it was stored.
    var open: StorageBatch?

    /// All pending writes, as the local copy has them.
    var all: [PendingTransaction] { inherited + repeated }

    /// Returns the values with which a store begins: pending values are in force.
    func contents(over view: ClusterView, _ outcome: StorageContents.Outcome) -> StorageContents {
        var tree = view.mirror.tree
        for transaction in inherited { tree.apply(transaction.values) }
        return StorageContents(tree: tree, outcome: outcome, position: view.position, token: view.recent.end)
    }

    /// Records that a batch is about to be sent. Plain writes that share it with commits stay in force if the commits
    /// are undone.
    ///
    /// - Parameter base: The revision that the store knows.
    /// - Returns: The writes given up; `nil` if nothing changes.
    mutating func add(
        _ batch: StorageBatch, base: Int64, time: Double, over mirror: Mirror
    ) -> [EtcdLostTransaction]? {
        var batch = batch
        if batch.hasCommits {
            batch.values = batch.plainValues
            if batch.values.isEmpty, repeated.isEmpty { return nil }
        }
        let lost = givenUp(by: batch, over: mirror)
        let rest = remaining(after: batch)
        repeated =
            PendingTransaction.parts(of: batch, base: base, over: mirror, earlier: repeated, time: time) + rest
        return lost
    }

    /// Records a batch that the store holds back.
    mutating func preserve(
        _ waiting: StorageBatch, base: Int64, time: Double, over mirror: Mirror, undecided: StorageBatch.ID?
    ) {
        let parts = PendingTransaction.parts(of: waiting, base: base, over: mirror, earlier: repeated, time: time)
        repeated = parts.map { part in
            var part = part
            // While it may be on its way, the next process finds out by its number whether it has landed.
            if let open, open.id == undecided, part.values.allSatisfy({ open.values[$0.key] == .some($0.value) }) {
                part.batch = open.id
            }
            return part
        }
    }

    /// Records that a batch is in the cluster.
    ///
    /// - Returns: The writes given up.
    mutating func didStore(_ batch: StorageBatch, over mirror: Mirror) -> [EtcdLostTransaction] {
        let lost = givenUp(by: batch, over: mirror)
        repeated = remaining(after: batch)
        return lost
    }

    /// Records batches that were found to be stored.
    mutating func didFind(_ batches: [StorageBatch.ID]) {
        if let open, batches.contains(open.id) { self.open = nil }
        repeated.removeAll { batches.contains($0.batch) }
    }

    /// Returns the writes that the store still has and will append with later batches.
    private func remaining(after batch: StorageBatch) -> [PendingTransaction] {
        batch.isPart ? repeated.filter { !$0.isCovered(by: batch) } : []
    }

    /// Returns the pending writes that are missing from the batch the store appends now: others were faster, and the
    /// store has reported that.
    private func givenUp(by batch: StorageBatch, over mirror: Mirror) -> [EtcdLostTransaction] {
        if batch.isPart { return [] }
        return repeated.filter { transaction in
            transaction.values.contains { key, value in
                !PendingTransaction.isWritten(key, by: batch) && mirror.value(at: key) != value
            }
        }.map { $0.lost(in: mirror) }
    }
}

public import Settle

/// Storing batches: the transactions to send, their conditions, and the number of attempts.
extension EtcdStorage {
    @discardableResult
    public func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        try await turns.run { () throws(StorageError) in
            try checkOpen()
            if batch.values.isEmpty { return try await verify(batch) }
            for case (let key, let value?) in batch.values { try check(value, at: key) }
            // Refuse a batch that is too large before it is saved anywhere.
            let plan = try plan(batch)
            await keep(batch)
            do throws(StorageError) {
                try await store(batch, plan)
            } catch {
                // It was not sent if another batch is undecided.
                if error.isOutcomeUnknown, undecided.map({ $0.id == batch.id }) ?? true { leaveOpen(batch) }
                if durability == .synced, !batch.hasCommits { report(await local?.update(.synced) { _ in }) }
                throw error
            }
            await didStore(batch)
            return view.receipt()
        }
    }

    /// Checks the conditions of a batch that stores nothing: only the cluster knows whether the values read here are
    /// still the newest.
    private func verify(_ batch: StorageBatch) async throws(StorageError) -> StorageReceipt {
        if batch.conditions.contains(where: { if case .at = $0 { true } else { false } }) {
            try await connect()
            _ = try await settle()
            if let request = view.comparison(of: batch.reads) {
                try await compare(request)
            } else {
                try await refresh()
            }
            try view.check(batch.conditions)
            try locks.check(batch.conditions, now: time.elapsed(), in: space)
        }
        return view.receipt()
    }

    /// Runs a transaction that only compares, and brings in what it finds changed.
    private func compare(_ request: TransactionRequest) async throws(StorageError) {
        let known = view.reached
        let answer: TransactionAnswer
        do throws(GatewayFailure) {
            answer = try await cluster.transact(request)
        } catch {
            throw space.error(error, "read")
        }
        if try await checkIdentity(answer.header, since: known) || answer.succeeded { return }
        if let range = answer.ranges.first { try await absorb(range, answer.header) }
        if view.holds(request) { try await reread() }
    }

    /// Leaves a batch open. If it turns out to be stored, the store must be notified: it may not append the batch
    /// again.
    private func leaveOpen(_ batch: StorageBatch) {
        writes.open = batch
        view.log.leaveOpen(batch.id)
        signalNews()
    }

    /// The maximum number of attempts to put a batch over changes that others have stored meanwhile, or to read
    /// everything while others store more.
    static let attemptLimit = 16

    private func store(_ batch: StorageBatch, _ first: BatchPlan) async throws(StorageError) {
        try await connect()
        let earlier = undecided?.id
        if try await settle(), earlier == batch.id { return }
        var isRepeated = false
        for attempt in 0..<Self.attemptLimit {
            // Recognise the batch before checking its conditions, which its first attempt may have made false.
            if batch.id == view.lastBatch || batch.id == foundBatch { return }
            try view.check(batch.conditions)
            try locks.check(batch.conditions, now: time.elapsed(), in: space)
            let plan = attempt == 0 && view.fits(first) ? first : try plan(batch)
            switch try await transact(plan, batch.id) {
            case .landed: return
            case .overtaken: break
            // A connection may have been closed while idle, which shows only when it is used.
            case .lost where !isRepeated: isRepeated = true
            case .lost(let error): throw error
            }
        }
        throw space.overtaken(
            Self.attemptLimit, code: batch.conditions.isEmpty ? .unavailable : .conflict, outcome: "Nothing was stored."
        )
    }

    private func plan(_ batch: StorageBatch) throws(StorageError) -> BatchPlan {
        try view.plan(
            batch.values, of: batch.id, by: batch.authors, at: wallTime, TransactionDetails(of: batch.transactions),
            on: batch.conditions, reading: batch.reads)
    }
}

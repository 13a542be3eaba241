import Settle

/// Transactions of etcd, and recovery from lost answers.
extension EtcdStorage {
    /// The outcome of a transaction.
    enum Outcome {
        case landed
        /// Something has changed, and the view has the change.
        case overtaken
        /// It has certainly not landed and can't any more, because of a failure on the way.
        case lost(StorageError)

        fileprivate init(hasLanded: Bool) { self = hasLanded ? .landed : .overtaken }
    }

    /// Runs a transaction.
    func transact(_ plan: BatchPlan, _ batch: StorageBatch.ID) async throws(StorageError) -> Outcome {
        let known = view.reached
        let answer: TransactionAnswer
        do throws(GatewayFailure) {
            answer = try await cluster.transact(plan.request, mayRepeat: false)
        } catch {
            switch error.kind {
            case .refused(GatewayFailure.Code.resourceExhausted):
                try await lookUp(batch, plan, after: error)
                return .landed
            case .unreached, .refused: throw space.error(error, "stored", at: plan.keys)
            case .unanswered: break
            }
            undecided = UndecidedBatch(batch, plan)
            return try await settle(after: error) ? .landed : .lost(space.error(error, "stored", at: plan.keys))
        }
        if answer.succeeded {
            // It has landed, whatever turns out about the cluster.
            if (try? await checkIdentity(answer.header, since: known)) == false {
                let revision = answer.header.revision
                if !plan.deletes.isEmpty { mustKeepMarker = true }
                // Otherwise the stream was faster.
                if revision > view.followed {
                    view.didWrite(plan.update(at: revision, over: view.mirror), provesAll: plan.comparesAll)
                }
            }
        } else if try await !checkIdentity(answer.header, since: known) {
            let unchanged = RangeAnswer(pairs: [], count: view.mirror.count)
            try await absorb(answer.ranges.first ?? unchanged, answer.header)
            // A comparison has failed although nothing is new: the known state differs from the cluster's.
            if view.holds(plan.request) { try await reread() }
        }
        return Outcome(hasLanded: answer.succeeded)
    }

    /// Handles etcd's answer that its database is full. The first transaction that finds the database full has landed
    /// all the same, and none is still on its way.
    ///
    /// - Throws: Unless the transaction is that one.
    private func lookUp(
        _ batch: StorageBatch.ID, _ plan: BatchPlan, after failure: GatewayFailure
    ) async throws(StorageError) {
        var error = space.error(failure, "stored", at: plan.keys)
        do throws(StorageError) {
            try await refresh()
        } catch {
            // The next call checks, and finds the marker changed if it has landed.
            undecided = UndecidedBatch(batch, plan)
        }
        error.isOutcomeUnknown = undecided != nil
        guard undecided == nil, view.lastBatch == batch else { throw error }
    }

    /// Decides an undecided batch with a barrier.
    ///
    /// - Parameter failure: The reason that its answer was lost, if it was just sent.
    /// - Returns: Whether there was one, and it has landed. If it has not, it can't any more.
    /// - Throws: While it is still undecided: with ``StorageError/isOutcomeUnknown``.
    func settle(after failure: GatewayFailure? = nil) async throws(StorageError) -> Bool {
        guard let batch = undecided else { return false }
        let known = view.reached
        let answer: TransactionAnswer
        mustKeepMarker = true
        do throws(StorageError) {
            do throws(GatewayFailure) {
                answer = try await cluster.transact(batch.barrier(over: view, time: wallTime))
            } catch {
                throw space.error(failure ?? error, "stored", at: batch.keys)
            }
            if try await checkIdentity(answer.header, since: known) { return view.lastBatch == batch.id }
        } catch {
            var unknown = error
            unknown.isOutcomeUnknown = true
            throw unknown
        }
        undecided = nil
        let outcome = batch.outcome(of: answer, session: view.session)
        switch outcome {
        case .replaced:
            // Another process has the same local copy. Leave the marker to it.
            await takeClientName(ClusterView.newName())
            throw space.markerIsShared
        case .stored: foundBatch = batch.id
        case .notStored: view.log.settle(batch.id)
        }
        // If this fails, the next transaction makes up for it, since it finds the marker changed.
        try? await refresh()
        return outcome == .stored
    }
}

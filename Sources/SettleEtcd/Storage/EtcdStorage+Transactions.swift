import Settle

/// Transactions of etcd, and what to do when their answers are lost.
extension EtcdStorage {
    /// What has become of a transaction.
    enum Outcome {
        case landed
        /// Something has changed, and the view has it.
        case overtaken
        /// It has surely not landed and can't any more, because of a failure on the way.
        case lost(StorageError)

        fileprivate init(hasLanded: Bool) { self = hasLanded ? .landed : .overtaken }
    }

    /// Makes a transaction.
    func transact(_ plan: BatchPlan, _ batch: StorageBatch.ID) async throws(StorageError) -> Outcome {
        let known = view.mirror.revision
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
            // It has landed, whatever is found out about the cluster.
            if (try? await checkIdentity(answer.header, since: known)) == false {
                let revision = answer.header.revision
                if !plan.deletes.isEmpty { mustKeepMarker = true }
                // Otherwise the stream was faster.
                if revision > view.followed { view.didWrite(plan.update(at: revision, over: view.mirror)) }
            }
        } else if try await !checkIdentity(answer.header, since: known) {
            let before = view.mirror.revision
            let unchanged = RangeAnswer(pairs: [], count: view.mirror.count)
            try await absorb(answer.ranges.first ?? unchanged, answer.header)
            // A comparison has failed, and nothing is new: what is known here is not what is there.
            if view.mirror.revision == before, before == known { try await reread() }
        }
        return Outcome(hasLanded: answer.succeeded)
    }

    /// etcd has answered that its database is full. The first transaction that finds it so has landed all the same;
    /// none is on its way any more.
    ///
    /// - Throws: Unless the transaction is that one.
    private func lookUp(
        _ batch: StorageBatch.ID, _ plan: BatchPlan, after failure: GatewayFailure
    ) async throws(StorageError) {
        var error = space.error(failure, "stored", at: plan.keys)
        do throws(StorageError) {
            try await refresh()
        } catch {
            // The next call looks, and finds the marker changed if it has landed.
            undecided = UndecidedBatch(batch, plan)
        }
        error.isOutcomeUnknown = undecided != nil
        guard undecided == nil, view.lastBatch == batch else { throw error }
    }

    /// Decides an undecided batch with a barrier.
    ///
    /// - Parameter failure: Why its answer was lost, if it was just sent.
    /// - Returns: Whether there was one, and it has landed. If it has not, it can't any more.
    /// - Throws: While it is undecided still: with ``StorageError/isOutcomeUnknown``.
    func settle(after failure: GatewayFailure? = nil) async throws(StorageError) -> Bool {
        guard let batch = undecided else { return false }
        let known = view.mirror.revision
        let answer: TransactionAnswer
        mustKeepMarker = true
        do throws(StorageError) {
            do throws(GatewayFailure) {
                answer = try await cluster.transact(batch.barrier(over: view, time: time.now()))
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
        // What fails here is made up for by the next transaction, which finds the marker changed.
        try? await refresh()
        return outcome == .stored
    }
}

import Settle

/// Transactions of etcd, and what to do when their answers are lost.
extension EtcdStorage {
    /// Makes a transaction.
    ///
    /// - Returns: Whether it has landed. If not, something has changed, and the view has it.
    func transact(_ plan: BatchPlan, _ batch: StorageBatch.ID) async throws(StorageError) -> Bool {
        let known = view.mirror.revision
        let answer: TransactionAnswer
        do throws(GatewayFailure) {
            answer = try await cluster.transact(plan.request, mayRepeat: false)
        } catch {
            switch error.kind {
            case .refused(GatewayFailure.Code.resourceExhausted): return try await lookUp(batch, plan, after: error)
            case .unreached, .refused: throw space.error(error, "stored", at: plan.keys)
            case .unanswered: break
            }
            undecided = UndecidedBatch(batch, plan)
            return try await settle(after: error)
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
        return answer.succeeded
    }

    /// etcd has answered that its database is full. The first transaction that finds it so has landed all the same; none
    /// is on its way any more.
    private func lookUp(
        _ batch: StorageBatch.ID, _ plan: BatchPlan, after failure: GatewayFailure
    ) async throws(StorageError) -> Bool {
        var error = space.error(failure, "stored", at: plan.keys)
        do throws(StorageError) {
            try await refresh()
        } catch {
            // The next call looks, and finds the marker changed if it has landed.
            undecided = UndecidedBatch(batch, plan)
        }
        error.isOutcomeUnknown = undecided != nil
        guard undecided == nil, view.lastBatch == batch else { throw error }
        return true
    }

    /// Decides an undecided batch with a barrier.
    ///
    /// - Parameter failure: Why its answer was lost, if it was just sent.
    /// - Returns: Whether there was one, and it has landed.
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
        if outcome == .notStored, let failure { throw space.error(failure, "stored", at: batch.keys) }
        return outcome == .stored
    }

    // MARK: Identity

    /// Checks after an interruption that the cluster still has the history that is known here, before anything is taken from
    /// it or stored in it. What only the local copy has is read again in any case: a difference would lack the markers.
    func verifyHistory() async throws(StorageError) {
        let witness = localWitness ?? (isInterrupted && !isStale ? view.witness : nil)
        guard isStale || witness != nil else { return }
        var found: Succession? = .same
        if let witness { found = try await succession(of: witness) }
        if found != .same || isStale { try await reread(found ?? .same) }
        (localWitness, isStale) = (nil, false)
    }

    /// - Returns: `nil` if etcd has forgotten what the witness knows, or is behind it.
    private func succession(of witness: Witness) async throws(StorageError) -> Succession? {
        do throws(GatewayFailure) {
            let (header, range) = try await cluster.range(witness.request(in: space))
            return header.cluster == view.mirror.cluster ? witness.succession(in: range, of: space) : nil
        } catch {
            guard error.kind != .refused(code: GatewayFailure.Code.outOfRange) else { return nil }
            throw space.error(error, "read")
        }
    }

    /// Reads everything, and logs what is different.
    ///
    /// - Parameter found: What is known of the history already.
    func reread(_ found: Succession = .same) async throws(StorageError) {
        let old = try await readEverything()
        let (new, known) = (view.mirror.header, old.header)
        let succession = max(found, view.mirror.succession(after: old.revisions, upTo: known.revision))
        if new.isOther(than: known) || succession == .replaced {
            return await identityHasChanged(to: new, from: known)
        }
        view.logDifference(from: old)
        // Nobody can tell any more what it was based on.
        if succession == .incomplete { await giveUpInherited(because: LocalContents.isOfOtherCluster) }
    }

    /// Notices another cluster, and an earlier revision of this one.
    ///
    /// - Parameter known: The revision that was known when the call was made.
    /// - Returns: Whether everything was read again.
    func checkIdentity(_ header: GatewayHeader, since known: Int64) async throws(StorageError) -> Bool {
        let old = GatewayHeader(cluster: view.mirror.cluster, revision: known)
        guard header.isOther(than: old) else { return false }
        _ = try await readEverything()
        await identityHasChanged(to: header, from: old)
        return true
    }

    /// Everything was read, and it is not what it was.
    private func identityHasChanged(to new: GatewayHeader, from old: GatewayHeader) async {
        undecided = nil
        view.log.replaceAll()
        let endpoint = await cluster.client.endpoint
        events.send(.issue(space.identityHasChanged(to: new, from: old, at: endpoint)))
        await giveUpInherited(because: LocalContents.isOfOtherCluster)
        events.send(.mayHaveChanged)
    }
}

import Settle

/// Transactions of etcd, and what to do when their answers are lost.
extension EtcdStorage {
    /// Makes a transaction.
    ///
    /// - Returns: Whether it has landed. If not, something has changed, and the mirror has it.
    func transact(_ plan: BatchPlan, _ batch: StorageBatch.ID) async throws(StorageError) -> Bool {
        let known = mirror.revision
        let answer: TransactionAnswer
        do throws(GatewayFailure) {
            answer = TransactionAnswer(
                try await client.call(EtcdPath.transaction, plan.request.json, mayRepeat: false))
        } catch {
            switch error.kind {
            case .refused(GatewayFailure.Code.resourceExhausted): return try await lookUp(batch, plan, after: error)
            case .unreached, .refused: throw storageError(error, "stored", at: plan.keys)
            case .unanswered: break
            }
            doubt = Doubt(batch: batch, marker: plan.marker, poison: .random(in: 1 ... .max), keys: plan.keys)
            return try await settle(after: error)
        }
        if answer.succeeded {
            // It has landed, whatever is found out about the cluster.
            let isAnew = try? await checkIdentity(answer.header, since: known)
            if isAnew == false { didLand(plan, at: answer.header.revision) }
        } else if try await !checkIdentity(answer.header, since: known) {
            let before = mirror.revision
            try await absorb(answer.ranges.first ?? RangeAnswer(pairs: [], count: mirror.count), answer.header)
            // A comparison has failed, and nothing is new: what is known here is not what is there.
            if mirror.revision == before, before == known { try await reread() }
        }
        return answer.succeeded
    }

    private func didLand(_ plan: BatchPlan, at revision: Int64) {
        if !plan.deletes.isEmpty { mustKeepMarker = true }
        // Otherwise the stream was faster.
        if revision > followed { didWrite(plan.update(at: revision, over: mirror)) }
    }

    /// Takes in what a transaction of this client has written. It has told that nothing was stored between what is known and it.
    func didWrite(_ update: Mirror.Update) {
        let revision = update.revision
        let (record, _) = apply(update)
        if let record, revision > followed + 1 {
            // Something may be gone all the same.
            landed[revision] = record
            recent.withLock { $0.expect(record.token) }
        } else if revision == followed + 1 {
            followed = revision
            if let record { recent.withLock { $0.add(record) } }
        }
        advance(to: revision)
    }

    /// etcd has answered that its database is full. The first transaction that finds it so has landed all the same; none
    /// is on its way any more.
    private func lookUp(
        _ batch: StorageBatch.ID, _ plan: BatchPlan, after failure: GatewayFailure
    ) async throws(StorageError) -> Bool {
        var error = storageError(failure, "stored", at: plan.keys)
        do throws(StorageError) {
            try await refresh()
        } catch {
            // The next call looks, and finds the marker changed if it has landed.
            doubt = Doubt(batch: batch, marker: plan.marker, poison: .random(in: 1 ... .max), keys: plan.keys)
        }
        error.isOutcomeUnknown = doubt != nil
        guard doubt == nil, lastBatch == batch else { throw error }
        return true
    }

    /// Finds out what has become of the transaction whose answer was lost: a poison transaction replaces the marker that it
    /// compares. If that works, it has not landed and can't any more. If not, the marker tells who was first.
    ///
    /// - Returns: Whether it has landed.
    /// - Throws: While it is open still: with ``StorageError/isOutcomeUnknown``.
    func settle(after failure: GatewayFailure? = nil) async throws(StorageError) -> Bool {
        guard let doubt else { return false }
        let known = mirror.revision
        let key = space.key(KeySpace.marker(clientName))
        let (before, _) = mirror.marker(of: clientName)
        var poison = before ?? Marker(session: session)
        poison.session = session
        poison.poison = doubt.poison
        poison.time = poison.time ?? time.now()
        mustKeepMarker = true
        let request = TransactionRequest(
            comparisons: [Comparison(key: key, target: .modified(at: doubt.marker))],
            success: [.put(key: key, value: poison.bytes)], failure: [.range(RangeRequest(key: key))])
        let answer: TransactionAnswer
        do throws(GatewayFailure) {
            // Repeated, it is recognised by its number.
            answer = TransactionAnswer(try await client.call(EtcdPath.transaction, request.json, mayRepeat: true))
        } catch {
            var unknown = storageError(failure ?? error, "stored", at: doubt.keys)
            unknown.isOutcomeUnknown = true
            throw unknown
        }
        do throws(StorageError) {
            if try await checkIdentity(answer.header, since: known) { return lastBatch == doubt.batch }
        } catch {
            var unknown = error
            unknown.isOutcomeUnknown = true
            throw unknown
        }
        self.doubt = nil
        var hasLanded = false
        if !answer.succeeded {
            let found = answer.ranges.first?.pairs.first.flatMap { Marker($0.value) }
            guard let found, found.session == session else {
                // Another process has the same local copy. Leave the marker to it.
                await changeClient()
                throw StorageError(
                    .unavailable,
                    "Another process uses the marker of this client under “\(space.prefix)”: each needs a local copy of "
                        + "its own. Whether the last transaction was stored is not known.", isOutcomeUnknown: true)
            }
            hasLanded = found.poison != doubt.poison && found.batch == doubt.batch
        }
        if hasLanded { foundBatch = doubt.batch } else { log.settle(doubt.batch) }
        // What fails here is made up for by the next transaction, which finds the marker changed.
        try? await refresh()
        if !hasLanded, let failure { throw storageError(failure, "stored", at: doubt.keys) }
        return hasLanded
    }

    // MARK: Learning

    /// Reads everything, and tells what is different.
    func reread() async throws(StorageError) {
        let old: Mirror
        do throws(GatewayFailure) {
            old = try await readEverything()
        } catch {
            throw storageError(error, "read")
        }
        let isOther = old.cluster != 0 && old.cluster != mirror.cluster
        if isOther || mirror.revision < old.revision {
            return await identityHasChanged(
                to: GatewayHeader(cluster: mirror.cluster, revision: mirror.revision),
                from: GatewayHeader(cluster: old.cluster, revision: old.revision))
        }
        let (marker, revision) = mirror.marker(of: clientName)
        let own = marker?.session == session ? revision : 0
        var (values, ownValues): ([SettingKey: SettingValue?], [SettingKey: SettingValue?]) = ([:], [:])
        for key in old.keys.union(mirror.keys) {
            let outer = mirror.outermost(around: key) ?? key
            let new = mirror.value(at: outer)
            guard new != old.value(at: outer) else { continue }
            if own > 0, mirror.entry(at: outer)?.modRevision == own {
                ownValues.updateValue(new, forKey: outer)
            } else {
                values.updateValue(new, forKey: outer)
            }
        }
        log.add(ChangeLog.Entry(revision: own, values: ownValues, isOwn: true, batch: marker?.batch))
        log.add(ChangeLog.Entry(revision: mirror.revision, values: values, isOwn: false))
        if values.values.contains(where: { $0 == nil }) { beginHistory(hasDeletions: true) }
        endLostLocks()
    }

    /// Everything is known up to a revision.
    func advance(to revision: Int64) {
        mirror.advance(to: revision)
        endLostLocks()
    }

    /// Follows whole revisions, in their order.
    ///
    /// - Returns: Whether others have changed a setting.
    @discardableResult
    func follow(_ updates: [Mirror.Update]) -> Bool {
        var hasNews = false
        // What comes again is known already.
        for update in updates where update.revision > followed {
            if let record = landed.removeValue(forKey: update.revision) {
                recent.withLock { $0.add(record) }
            } else {
                let (record, isNews) = apply(update)
                if let record { recent.withLock { $0.add(record) } }
                hasNews = hasNews || isNews
            }
            followed = update.revision
            mirror.advance(to: update.revision)
        }
        endLostLocks()
        awaited?.yield()
        return hasNews
    }

    /// Applies what has happened at a revision.
    ///
    /// - Returns: What it did, for the history, and whether others have changed a setting.
    @discardableResult
    func apply(_ update: Mirror.Update, isWhole: Bool = true) -> (record: StoredRecord?, isNews: Bool) {
        let markers = update.puts.compactMap { pair -> (name: String, marker: Marker)? in
            guard let name = space.name(of: pair.key), case .marker = KeySpace.kind(of: name) else { return nil }
            return Marker(pair.value).map { (name, $0) }
        }
        let own = markers.first { $0.name == KeySpace.marker(clientName) && $0.marker.session == session }
        let effect = mirror.apply(update)
        let marker = markers.first?.marker
        let record = isWhole ? record(effect, of: update, by: marker) : nil
        let entry = ChangeLog.Entry(
            revision: update.revision, values: effect.values, author: marker?.author, token: record?.token,
            isOwn: own != nil, batch: own?.marker.batch, unusable: unusable(in: update))
        log.add(entry)
        return (record, log.hasNews)
    }

    private func unusable(in update: Mirror.Update) -> StorageError? {
        for pair in update.puts {
            guard let name = space.name(of: pair.key), case .setting = KeySpace.kind(of: name),
                case .unusable(let reason)? = mirror.entries[name]?.content
            else { continue }
            return StorageError(
                .unreadable,
                "“\(space.prefix)\(name)” can't be used: \(reason) What was there before stays in force. Store JSON there, or "
                    + "write the setting.")
        }
        return nil
    }

    // MARK: Identity

    /// Notices another cluster, and an earlier state of this one.
    ///
    /// - Parameter known: The revision that was known when the call was made.
    /// - Returns: Whether everything was read anew.
    func checkIdentity(_ header: GatewayHeader, since known: Int64) async throws(StorageError) -> Bool {
        let old = GatewayHeader(cluster: mirror.cluster, revision: known)
        guard (old.cluster != 0 && header.cluster != old.cluster) || header.revision < known else { return false }
        do throws(GatewayFailure) {
            _ = try await readEverything()
        } catch {
            throw storageError(error, "read")
        }
        await identityHasChanged(to: header, from: old)
        return true
    }

    /// Everything was read, and it is not what it was.
    private func identityHasChanged(to new: GatewayHeader, from old: GatewayHeader) async {
        let change =
            new.cluster == old.cluster
            ? "the cluster is at revision \(new.revision) and was at \(old.revision), as after a backup was restored"
            : "another cluster answers than before (\(String(new.cluster, radix: 16)) instead of "
                + "\(String(old.cluster, radix: 16)))"
        doubt = nil
        log.replaceAll()
        endLostLocks()
        tell(
            .issue(
                StorageError(
                    .unavailable,
                    "At “\(await client.endpoint)” \(change). The settings under “\(space.prefix)” were read anew; "
                        + "places in the earlier history are not known any more.")))
        await loseInherited(because: Self.otherCluster)
        tell(.mayHaveChanged)
    }
}

extension Mirror {
    func has(_ key: [UInt8]) -> Bool {
        space.name(of: key).map { entries[$0] != nil } ?? isForeign(key)
    }
}

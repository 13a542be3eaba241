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
            guard error.kind == .unanswered else { throw storageError(error, "stored") }
            doubt = Doubt(batch: batch, marker: plan.marker, poison: .random(in: 1 ... .max))
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
        // The stream may have been faster. Otherwise nothing came between, because the transaction compared that.
        guard revision > mirror.revision else { return }
        apply(plan.update(at: revision, over: mirror), isWhole: true)
        advance(to: revision)
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
        let request = TransactionRequest(
            comparisons: [Comparison(key: key, target: .modified(at: doubt.marker))],
            success: [.put(key: key, value: poison.bytes)], failure: [.range(RangeRequest(key: key))])
        let answer: TransactionAnswer
        do throws(GatewayFailure) {
            // Repeated, it is recognised by its number.
            answer = TransactionAnswer(try await client.call(EtcdPath.transaction, request.json, mayRepeat: true))
        } catch {
            var unknown = storageError(failure ?? error, "stored")
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
        // What fails here is made up for by the next transaction, which finds the marker changed.
        try? await refresh()
        if !hasLanded, let failure { throw storageError(failure, "stored") }
        return hasLanded
    }

    // MARK: Learning

    /// Brings the mirror up to date, with one read of what has changed.
    func refresh() async throws(StorageError) {
        let known = mirror.revision
        let request = BatchPlan.news(of: mirror)
        let answer: GatewayObject
        do throws(GatewayFailure) {
            answer = try await client.call(EtcdPath.range, request.json, mayRepeat: true)
        } catch {
            throw storageError(error, "read")
        }
        let header = GatewayHeader(answer.object("header"))
        if try await checkIdentity(header, since: known) { return }
        try await absorb(RangeAnswer(answer), header)
    }

    /// Reads everything, and tells what is different.
    func reread() async throws(StorageError) {
        let old: Mirror
        do throws(GatewayFailure) {
            old = try await readEverything()
        } catch {
            throw storageError(error, "read")
        }
        beginHistory()
        let isOther = old.cluster != 0 && old.cluster != mirror.cluster
        if isOther || mirror.revision < old.revision {
            return await identityHasChanged(
                to: GatewayHeader(cluster: mirror.cluster, revision: mirror.revision),
                from: GatewayHeader(cluster: old.cluster, revision: old.revision))
        }
        var values: [SettingKey: SettingValue?] = [:]
        for key in old.keys.union(mirror.keys) {
            let outer = mirror.outermost(around: key) ?? key
            let new = mirror.value(at: outer)
            if new != old.value(at: outer) { values.updateValue(new, forKey: outer) }
        }
        log.add(ChangeLog.Entry(revision: mirror.revision, values: values, isOwn: false))
        endLostLocks()
    }

    /// Applies a read of what has changed since the mirror's revision, or since an earlier one.
    func absorb(_ range: RangeAnswer, _ header: GatewayHeader) async throws(StorageError) {
        guard header.revision > mirror.revision else { return }
        let new = range.pairs.filter { $0.modRevision > mirror.revision }
        let created = new.filter { !mirror.has($0.key) }.count
        // What was deleted is in no answer; the number of keys shows that there was something.
        var deleted: [[UInt8]] = []
        if mirror.count + Int64(created) != range.count {
            let (key, end) = space.range
            let request = RangeRequest(key: key, end: end, revision: header.revision, keysOnly: true)
            do throws(GatewayFailure) {
                let answer = RangeAnswer(try await client.call(EtcdPath.range, request.json, mayRepeat: true))
                deleted = mirror.missing(in: answer.pairs.map(\.key))
            } catch {
                throw storageError(error, "read")
            }
            // The stream was faster.
            guard header.revision > mirror.revision else { return }
        }
        let groups = Dictionary(grouping: new, by: \.modRevision).sorted { $0.key < $1.key }
        let isWhole = groups.count == 1 && deleted.isEmpty
        for (revision, pairs) in groups where revision > mirror.revision {
            apply(Mirror.Update(revision: revision, puts: pairs), isWhole: isWhole)
        }
        if !deleted.isEmpty { apply(Mirror.Update(revision: header.revision, deletes: deleted), isWhole: false) }
        advance(to: header.revision)
    }

    /// Everything is known up to a revision.
    func advance(to revision: Int64) {
        mirror.advance(to: revision)
        endLostLocks()
    }

    /// Applies what has happened at a revision.
    ///
    /// - Parameter isWhole: Whether it is all that happened there, so that the change has a place in the history.
    /// - Returns: Whether others have changed a setting.
    @discardableResult
    func apply(_ update: Mirror.Update, isWhole: Bool) -> Bool {
        let markers = update.puts.compactMap { pair -> (name: String, marker: Marker)? in
            guard let name = space.name(of: pair.key), case .marker = KeySpace.kind(of: name) else { return nil }
            return Marker(pair.value).map { (name, $0) }
        }
        let isOwn = markers.contains { $0.name == KeySpace.marker(clientName) && $0.marker.session == session }
        let effect = mirror.apply(update)
        let marker = markers.first?.marker
        let token = record(effect, of: update, by: marker, isWhole: isWhole)
        let entry = ChangeLog.Entry(
            revision: update.revision, values: effect.values, author: marker?.author, token: isWhole ? token : nil,
            isOwn: isOwn, unusable: unusable(in: update))
        log.add(entry)
        return !isOwn && (!effect.values.isEmpty || entry.unusable != nil)
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
        beginHistory()
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
        await loseInherited()
        tell(.mayHaveChanged)
    }

    // MARK: Errors

    /// - Parameter act: What was to happen: "stored", "read".
    func storageError(_ failure: GatewayFailure, _ act: String) -> StorageError {
        let place = "The settings under “\(space.prefix)” could not be \(act)"
        let at = failure.endpoint.isEmpty ? "" : " at “\(failure.endpoint)”"
        switch failure.kind {
        case .unreached, .unanswered:
            return StorageError(
                .unavailable,
                "\(place): no answer of etcd\(at), because \(failure.reason). Check that a majority of the members runs, and that "
                    + "the endpoints are their client URLs.")
        case .refused(GatewayFailure.Code.permissionDenied):
            return StorageError(
                .permissionDenied,
                "\(place)\(at): \(failure.reason). Give the user a role that may read and write the prefix.")
        case .refused(GatewayFailure.Code.unauthenticated):
            return StorageError(
                .permissionDenied, "\(place)\(at): \(failure.reason). Check the user's name and password.")
        case .refused(GatewayFailure.Code.invalidArgument) where failure.reason.contains("too large"):
            return StorageError(
                .unsupportedValue,
                "\(place)\(at): \(failure.reason). The server's limit is --max-request-bytes, usually 1.5 MiB.")
        case .refused:
            return StorageError(act == "read" ? .unreadable : .writeFailed, "\(place)\(at): \(failure.reason).")
        }
    }
}

extension Mirror {
    func has(_ key: [UInt8]) -> Bool {
        space.name(of: key).map { entries[$0] != nil } ?? isForeign(key)
    }
}

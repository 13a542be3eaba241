import Settle

/// Checks whether the cluster is still the known one, with the same history.
///
/// | finding | detected by | consequence |
/// |---|---|---|
/// | another cluster, or a lower revision | the header of any answer | everything is read, an issue is reported, pending writes are given up |
/// | another history | the `Witness` after an interruption, or a key with a lower revision in a read of everything | the same |
/// | a missed change | the same, or an audit | everything is read, pending writes are given up |
/// | the same history | the `Witness` | the stream or the call continues |
extension EtcdStorage {
    /// Checks after an interruption that the cluster still has the known history, before anything is taken from it or
    /// stored in it. Values that only the local copy has are read again in any case: a difference would lack the
    /// markers.
    func verifyHistory() async throws(StorageError) {
        let witness = localWitness ?? (isInterrupted && !isStale ? view.witness : nil)
        guard isStale || witness != nil else { return }
        var found: Succession? = .same
        if let witness { found = try await succession(of: witness) }
        if found != .same || isStale { try await reread(found ?? .same) }
        (localWitness, isStale) = (nil, false)
    }

    /// - Returns: `nil` if etcd has forgotten the revision of the witness, or has not reached it yet.
    private func succession(of witness: Witness) async throws(StorageError) -> Succession? {
        do throws(GatewayFailure) {
            let (header, range) = try await cluster.range(witness.request(in: space))
            return header.cluster == view.mirror.cluster ? witness.succession(in: range, of: space) : nil
        } catch {
            guard error.kind != .refused(code: GatewayFailure.Code.outOfRange) else { return nil }
            throw space.error(error, "read")
        }
    }

    /// Reads everything, and logs the differences.
    ///
    /// - Parameter found: The relation of the histories, as far as it is known already.
    func reread(_ found: Succession = .same) async throws(StorageError) {
        let old = try await readEverything()
        let (new, revisions) = (view.mirror.header, old.revisions)
        let succession = max(found, view.mirror.succession(after: revisions, upTo: old.revision))
        let known = GatewayHeader(
            cluster: old.cluster, revision: revisions.values.reduce(old.revision) { max($0, $1) })
        if new.isOther(than: known) || succession == .replaced {
            return await identityHasChanged(to: new, from: known)
        }
        view.logDifference(from: old)
        // The basis of the writes can no longer be determined.
        if succession == .incomplete { await giveUpInherited(because: LocalContents.isOfOtherCluster) }
    }

    /// Detects another cluster, or an earlier revision of this one.
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

    /// Handles a changed identity after everything was read.
    private func identityHasChanged(to new: GatewayHeader, from old: GatewayHeader) async {
        undecided = nil
        view.log.replaceAll()
        let endpoint = await cluster.client.endpoint
        events.send(.issue(space.identityHasChanged(to: new, from: old, at: endpoint)))
        await giveUpInherited(because: LocalContents.isOfOtherCluster)
        events.send(.mayHaveChanged)
    }
}

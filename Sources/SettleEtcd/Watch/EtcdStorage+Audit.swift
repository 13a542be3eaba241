import Settle

/// Checks whether the stream brings everything: after each silence, and now and then even if it is busy.
extension EtcdStorage {
    // MARK: Silence

    var silenceEnds: Duration? {
        phase == .closed ? nil : heard + configuration.silence
    }

    /// A stopped member is silent for ever, and so is one that is cut off. Compares the stream with a read of a majority.
    ///
    /// - Returns: Why the stream is given up; `nil` if it is good.
    func checkSilence() async -> String? {
        guard time.elapsed() >= heard + configuration.silence else { return nil }
        let (known, seen) = (mirror.revision, followed)
        let (key, end) = space.range
        let request = RangeRequest(key: key, end: end, minModRevision: seen + 1, keysOnly: true)
        let answer: GatewayObject
        do throws(GatewayFailure) {
            answer = try await client.call(EtcdPath.range, request.json, mayRepeat: true)
        } catch {
            return error.reason
        }
        let found = RangeAnswer(answer)
        let isBehind = !found.pairs.isEmpty || found.count != mirror.count
        let header = GatewayHeader(answer.object("header"))
        guard header.cluster == mirror.cluster, header.revision >= known else {
            mustRead = true
            return "another cluster answers, or an earlier state"
        }
        if !isFollowing { return "etcd has not answered to the watch within \(configuration.silence)" }
        guard isBehind, followed == seen else {
            heard = time.elapsed()
            return nil
        }
        // It may be on its way: what the stream has not brought after as long again, it does not bring.
        guard (try? await time.sleep(time.elapsed() + configuration.silence)) != nil else { return nil }
        guard followed == seen else { return nil }
        mustRead = true
        return "the stream is silent, although something was stored"
    }

    // MARK: Audit

    /// Spread: a thousand stores must not read in one moment. The same for every stream until then, however often they are
    /// cut.
    var nextAudit: Duration? {
        guard phase != .closed else { return nil }
        let due = auditDue ?? time.elapsed() + configuration.audit * (0.5 + configuration.random())
        auditDue = due
        return due
    }

    /// Compares all keys with what is known: etcd itself may lose an event, and later ones hide that.
    ///
    /// - Returns: Why the stream is given up; `nil` if it is good.
    func audit() async -> String? {
        auditDue = nil
        guard let first = await differences(), !first.isEmpty else {
            await removeOldMarkers()
            return nil
        }
        // They may be on their way.
        guard (try? await time.sleep(time.elapsed() + configuration.silence)) != nil else { return nil }
        guard let second = await differences(), first.contains(where: { second[$0.key] == $0.value }) else {
            return nil
        }
        do {
            try await turns.run { () throws(StorageError) in try await reread() }
        } catch {
            return error.description
        }
        tell(.mayHaveChanged)
        return "the stream has left something out"
    }

    /// The revision of each key that is not known as it is in the cluster; 0 for one that is gone.
    ///
    /// - Returns: `nil` if that can't be found out now.
    private func differences() async -> [[UInt8]: Int64]? {
        let (key, end) = space.range
        let request = RangeRequest(key: key, end: end, keysOnly: true)
        guard let answer = try? await client.call(EtcdPath.range, request.json, mayRepeat: true) else { return nil }
        let header = GatewayHeader(answer.object("header"))
        guard header.cluster == mirror.cluster else { return nil }
        let pairs = RangeAnswer(answer).pairs
        var differences: [[UInt8]: Int64] = [:]
        for pair in pairs where mirror.modRevision(of: pair.key) < pair.modRevision {
            differences[pair.key] = pair.modRevision
        }
        for key in mirror.missing(in: pairs.map(\.key)) where mirror.modRevision(of: key) <= header.revision {
            differences[key] = 0
        }
        return differences
    }

    // MARK: Markers

    /// A client that has not stored anything for so long, such as one that was killed, does not come back for its marker.
    private static let markerAge = 30.0 * 86_400

    /// A few at a time: others do the same.
    private static let markerLimit = 32

    private func removeOldMarkers() async {
        let oldest = time.now() - Self.markerAge
        let own = KeySpace.marker(clientName)
        let old = mirror.entries.filter { name, entry in
            guard case .marker(let marker) = entry.content, name != own else { return false }
            return (marker.time ?? oldest) < oldest
        }
        guard !old.isEmpty else { return }
        let chosen = old.sorted { $0.value.modRevision < $1.value.modRevision }.prefix(Self.markerLimit)
        let request = TransactionRequest(
            comparisons: chosen.map {
                Comparison(key: space.key($0.key), target: .modified(at: $0.value.modRevision))
            }, success: chosen.map { .delete(key: space.key($0.key)) })
        // What fails here is done later, or by another client.
        _ = try? await client.call(EtcdPath.transaction, request.json, mayRepeat: true)
    }
}

extension Mirror {
    /// When a key was changed last; a key that is no text counts as known. 0 if there is none.
    fileprivate func modRevision(of key: [UInt8]) -> Int64 {
        guard let name = space.name(of: key) else { return isForeign(key) ? .max : 0 }
        return entries[name]?.modRevision ?? 0
    }
}

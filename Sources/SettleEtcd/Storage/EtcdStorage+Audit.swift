import Settle

/// Checks whether the stream brings everything: after each silence, and now and then even if it is busy.
extension EtcdStorage {
    var silenceEnds: Duration? {
        phase == .closed ? nil : machine.heard + configuration.silence
    }

    /// A stopped member is silent for ever, and so is one that is cut off. Compares the stream with a read of a majority.
    ///
    /// - Returns: Why the stream is given up; `nil` if it is good.
    func checkSilence() async -> String? {
        guard time.elapsed() >= machine.heard + configuration.silence else { return nil }
        let (known, seen) = (view.mirror.revision, view.followed)
        let (header, found): (GatewayHeader, RangeAnswer)
        do throws(GatewayFailure) {
            (header, found) = try await cluster.range(space.all(after: seen, keysOnly: true))
        } catch {
            return error.reason
        }
        let isBehind = !found.pairs.isEmpty || found.count != view.mirror.count
        guard header.cluster == view.mirror.cluster, header.revision >= known else {
            machine.end(.read)
            return "another cluster answers, or an earlier state"
        }
        if !isFollowing { return "etcd has not answered to the watch within \(configuration.silence)" }
        guard isBehind, view.followed == seen else {
            machine.didCheck(now: time.elapsed())
            return nil
        }
        // It may be on its way: what the stream has not brought after as long again, it does not bring.
        guard (try? await time.sleep(time.elapsed() + configuration.silence)) != nil else { return nil }
        guard view.followed == seen else { return nil }
        machine.end(.read)
        return "the stream is silent, although something was stored"
    }

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

    /// - Returns: `nil` if that can't be found out now.
    private func differences() async -> [[UInt8]: Int64]? {
        guard let (header, range) = try? await cluster.range(space.all(keysOnly: true)),
            header.cluster == view.mirror.cluster
        else { return nil }
        return view.mirror.differences(from: range.pairs, at: header.revision)
    }

    /// A client that has not stored anything for so long, such as one that was killed, does not come back for its marker.
    private static let markerAge = 30.0 * 86_400

    private func removeOldMarkers() async {
        let request = view.mirror.removalOfMarkers(
            before: time.now() - Self.markerAge, except: view.clientName, limit: 32)
        // What fails here is done later, or by another client.
        if let request { _ = try? await cluster.transact(request) }
    }
}

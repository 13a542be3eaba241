import Settle

/// The checks of a stream of changes while it runs.
enum StreamCheck: CaseIterable {
    /// A check after each silence.
    case silence
    /// A check now and then, even on a busy stream.
    case audit
}

/// Checks whether the stream delivers everything.
extension EtcdStorage {
    /// Returns the time at which a check is due; `nil` once the storage is closed.
    func due(_ check: StreamCheck) -> Duration? {
        guard phase != .closed else { return nil }
        switch check {
        case .silence: return machine.heard + configuration.silence
        case .audit:
            // Spread the audits: a thousand stores must not read at one moment. The time stays the same for every
            // stream until then, however often they are cut.
            let due = auditDue ?? time.elapsed() + configuration.audit * (0.5 + configuration.random())
            auditDue = due
            return due
        }
    }

    /// - Returns: The reason to give up the stream; `nil` if the stream is good.
    func run(_ check: StreamCheck) async -> String? {
        switch check {
        case .silence: await checkSilence()
        case .audit: await audit()
        }
    }

    /// Compares the stream with a read of a majority. A stopped member stays silent forever, and so does one that is
    /// cut off.
    private func checkSilence() async -> String? {
        guard time.elapsed() >= machine.heard + configuration.silence else { return nil }
        let (known, seen) = (view.reached, view.followed)
        let (header, found): (GatewayHeader, RangeAnswer)
        do throws(GatewayFailure) {
            (header, found) = try await cluster.range(space.all(after: seen, keysOnly: true))
        } catch {
            return error.reason
        }
        guard header.cluster == view.mirror.cluster, header.revision >= known else {
            machine.end(.read)
            return "another cluster answers, or an earlier state"
        }
        if !isFollowing { return "etcd has not answered to the watch within \(configuration.silence)" }
        let isBehind = !found.pairs.isEmpty || found.count != view.mirror.count
        guard isBehind, view.followed == seen else {
            machine.didCheck(now: time.elapsed())
            // After an interruption, etcd still has the history of this revision, so not everything has to be read.
            if !isBehind, view.followed == seen, !isStale { view.advance(to: header.revision) }
            return nil
        }
        guard await waitForDelayedChanges(), view.followed == seen else { return nil }
        machine.end(.read)
        return "the stream is silent, although a change was stored"
    }

    /// Waits for the same silence once more. Changes that a stream has not delivered by then will not arrive.
    private func waitForDelayedChanges() async -> Bool {
        (try? await time.sleep(time.elapsed() + configuration.silence)) != nil
    }

    /// Compares all keys with the known ones: etcd itself may lose an event, and later events hide that.
    private func audit() async -> String? {
        auditDue = nil
        guard let first = await differences(), !first.isEmpty else {
            await removeOldMarkers()
            await checkOuterPrefixes()
            return nil
        }
        guard await waitForDelayedChanges(), let second = await differences(),
            first.contains(where: { second[$0.key] == $0.value })
        else { return nil }
        do {
            try await turns.run { () throws(StorageError) in try await reread() }
        } catch {
            return error.description
        }
        events.send(.mayHaveChanged)
        return "the stream has skipped a change"
    }

    /// Removes markers of clients that do not come back.
    ///
    /// The wall clock of this client, or of the one that wrote a marker, may be wrong. A client whose marker vanishes
    /// could take a transaction with a lost answer for one that was not stored, and store it again.
    private func removeOldMarkers() async {
        let now = time.elapsed()
        guard let known = checkpoint, now >= known.time + Mirror.markerRest else {
            if checkpoint == nil { checkpoint = (view.mirror.revision, now) }
            return
        }
        let request = view.mirror.removalOfOldMarkers(
            now: wallTime, unchangedSince: known.revision, except: view.clientName)
        if let request {
            // If this fails, it is done later, or by another client.
            _ = try? await cluster.transact(request)
        } else {
            checkpoint = (view.mirror.revision, now)
        }
    }

    /// Reports that this prefix is within one that other clients use. Their keys are not under it, so nothing else
    /// shows them.
    private func checkOuterPrefixes() async {
        let outer = space.outer
        guard !outer.isEmpty, !hasReportedOuterPrefix else { return }
        // A user who may not read there learns nothing. The clients there notice this one by its marker.
        let request = TransactionRequest(success: outer.map { .range($0.anyMarker) })
        guard let answer = try? await cluster.transact(request),
            let used = zip(outer, answer.ranges).first(where: { !$1.pairs.isEmpty })
        else { return }
        hasReportedOuterPrefix = true
        events.send(.issue(space.isWithin(used.0)))
    }

    /// - Returns: `nil` if the differences can't be determined now.
    private func differences() async -> [[UInt8]: Int64]? {
        guard let (header, range) = try? await cluster.range(space.all(keysOnly: true)),
            header.cluster == view.mirror.cluster
        else { return nil }
        return view.mirror.differences(from: range.pairs, at: header.revision)
    }
}

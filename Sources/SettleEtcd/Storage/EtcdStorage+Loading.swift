public import Settle

/// The values at the beginning: those of the cluster, or the last known ones.
extension EtcdStorage {
    public func load() async throws(StorageError) -> StorageContents {
        try await turns.run { () throws(StorageError) in try await loadNow() }
    }

    private func loadNow() async throws(StorageError) -> StorageContents {
        guard phase != .closed else { throw closed }
        phase = .unread
        try await loadLocalCopy()
        do throws(GatewayFailure) {
            _ = try await readEverything()
        } catch {
            return try await loadLastKnown(after: error)
        }
        isStale = false
        phase = .open
        log.begin(at: mirror.revision)
        await compareWithLocalCopy()
        do throws(StorageError) {
            if doubt != nil { _ = try await settle() }
            try await sendInherited()
        } catch {
            // It goes out later. Until then what was written is in force.
        }
        log.begin(at: mirror.revision)
        await saveLocalCopy()
        let unusable = mirror.unusable
        var tree = mirror.tree
        for transaction in inherited { tree.apply(transaction.values) }
        return StorageContents(
            tree: tree, outcome: mirror.hasHistory ? outcome(unusable) : .absent, position: position,
            token: token)
    }

    private func outcome(_ unusable: [String: String]) -> StorageContents.Outcome {
        let settings = unusable.filter { if case .setting = KeySpace.kind(of: $0.key) { true } else { false } }
        guard let (name, reason) = settings.min(by: { $0.key < $1.key }) else { return .intact }
        return .recovered(
            description: "\(settings.count) values under “\(space.prefix)” can't be used and are left as they are. "
                + "“\(space.prefix)\(name)”: \(reason)", isComplete: false)
    }

    /// Reads all keys.
    ///
    /// - Returns: What was known just before.
    func readEverything() async throws(GatewayFailure) -> Mirror {
        let (key, end) = space.range
        while true {
            let known = mirror.revision
            let answer = try await client.call(EtcdPath.range, RangeRequest(key: key, end: end).json, mayRepeat: true)
            let header = GatewayHeader(answer.object("header"))
            // The stream has brought something meanwhile that is newer than what was read.
            if header.cluster == mirror.cluster, mirror.revision > known, header.revision < mirror.revision { continue }
            let old = mirror
            mirror.replace(with: RangeAnswer(answer).pairs, header: header)
            beginHistory()
            return old
        }
    }
}

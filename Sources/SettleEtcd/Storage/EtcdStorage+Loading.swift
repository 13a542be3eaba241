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
        do throws(StorageError) {
            _ = try await readEverything()
        } catch {
            return try await loadLastKnown(after: error)
        }
        isStale = false
        phase = .open
        view.log.begin(at: view.mirror.revision)
        await compareWithLocalCopy()
        do throws(StorageError) {
            _ = try await settle()
            try await sendInherited()
        } catch {
            // It goes out later. Until then what was written is in force.
        }
        view.log.begin(at: view.mirror.revision)
        await save()
        let mirror = view.mirror
        return contents(mirror.hasHistory ? outcome(mirror.unusable) : .absent)
    }

    /// What the store begins with: writes that are not in the cluster yet are in force.
    private func contents(_ outcome: StorageContents.Outcome) -> StorageContents {
        var tree = view.mirror.tree
        for transaction in writes.inherited { tree.apply(transaction.values) }
        return StorageContents(tree: tree, outcome: outcome, position: position, token: token)
    }

    private func outcome(_ unusable: [String: String]) -> StorageContents.Outcome {
        let settings = unusable.filter { if case .setting = KeySpace.kind(of: $0.key) { true } else { false } }
        guard let (name, reason) = settings.min(by: { $0.key < $1.key }) else { return .intact }
        return .recovered(
            description: "\(settings.count) values under “\(space.prefix)” can't be used and are left as they are. "
                + "“\(space.prefix)\(name)”: \(reason)", isComplete: false)
    }

    /// Starts without the cluster.
    private func loadLastKnown(after error: StorageError) async throws(StorageError) -> StorageContents {
        guard error.code == .unavailable, configuration.start == .withLastKnownValues,
            let contents = await local?.contents, contents.hasValues, contents.prefix == space.prefix
        else { throw error }
        view.restore(
            contents.pairs(in: space), GatewayHeader(cluster: contents.cluster, revision: contents.revision))
        isStale = true
        phase = .open
        return self.contents(
            .recovered(
                description: "\(error.description) These are the last known values, of revision \(contents.revision).",
                isComplete: false))
    }

    /// Reads all keys.
    ///
    /// - Returns: What was known just before.
    func readEverything() async throws(StorageError) -> Mirror {
        while true {
            let known = view.mirror.revision
            let (header, range) = try await cluster.read(space.all())
            if let old = view.replace(with: range, header, since: known) { return old }
        }
    }
}

public import Settle

/// The initial values: those of the cluster, or the last known ones.
extension EtcdStorage {
    public func load() async throws(StorageError) -> StorageContents {
        try await turns.run { () throws(StorageError) in try await loadNow() }
    }

    private func loadNow() async throws(StorageError) -> StorageContents {
        guard phase != .closed else { throw space.closed }
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
        // Writes made for a lost history must not be sent. If nothing was written, the read has fetched everything.
        localWitness = writes.inherited.isEmpty ? nil : await local?.contents.witness
        do throws(StorageError) {
            try await verifyHistory()
            _ = try await settle()
            try await sendInherited()
        } catch {
            // It is sent later. Until then the written values are in force.
        }
        view.log.begin(at: view.mirror.revision)
        await save()
        return writes.contents(over: view, view.mirror.outcome)
    }

    /// Starts without the cluster.
    private func loadLastKnown(after error: StorageError) async throws(StorageError) -> StorageContents {
        guard error.code == .unavailable, configuration.start == .withLastKnownValues,
            let contents = await local?.contents, contents.hasValues, contents.space == space
        else { throw error }
        view.restore(contents.pairs(in: space), contents.header)
        isStale = true
        localWitness = contents.witness
        phase = .open
        return writes.contents(
            over: view,
            .recovered(
                description: "\(error.description) These are the last known values, of revision \(contents.revision).",
                isComplete: false))
    }

    /// Reads all keys.
    ///
    /// - Returns: The state known just before.
    /// - Throws: Also if the stream has been faster each time, so that other calls need not wait for a quiet moment.
    func readEverything() async throws(StorageError) -> Mirror {
        for _ in 0..<Self.attemptLimit {
            let known = view.mirror.revision
            let (header, range) = try await cluster.read(space.all())
            guard let old = view.replace(with: range, header, since: known) else { continue }
            // The revision may belong to another history.
            (localWitness, checkpoint) = (nil, nil)
            return old
        }
        throw space.overtaken(Self.attemptLimit, outcome: "The settings could not be read as a whole.")
    }
}

/// What keeps others from appending between what a transaction reads and its append.
enum Exclusion: Equatable {
    case none
    /// The storage's lock.
    case lock(StorageLease)
    /// Nothing; but the append fails if others have stored something since this position, which is what the closures of
    /// the transactions have read.
    case position(StoragePosition)
    /// Only this store changes the storage.
    case unshared

    /// Whether others wait as long as it lasts.
    var holdsOthersUp: Bool {
        if case .lock = self { true } else { false }
    }

    /// What the storage has to check for it.
    var conditions: [StorageBatch.Condition] {
        switch self {
        case .none, .unshared: []
        case .lock(let lease): lease.timeToLive == nil ? [] : [.under(lease)]
        case .position(let position): [.at(position)]
        }
    }

    /// Whether a transaction may have to run again.
    var mayConflict: Bool {
        if case .position = self { true } else { false }
    }
}

extension Persister {
    /// Excludes others, and fetches what they have changed until now.
    func exclude() async throws(StorageError) {
        guard let shared else { return exclusion = .unshared }
        guard let lease = try await call({ () throws(StorageError) in try await shared.lockForTransaction() }) else {
            // Without a lock nobody tells how far others are. What has failed is decided by what they have stored.
            if mustFetch || failedSaves.isRetry { try await fetchExternalChanges() }
            return exclusion = .position(position)
        }
        exclusion = .lock(lease)
        guard lease.position != position || mustFetch else { return }
        do throws(StorageError) {
            try await fetchExternalChanges()
        } catch {
            await include()
            throw error
        }
    }

    /// Lets others append again.
    func include() async {
        let ended = exclusion
        exclusion = .none
        if case .lock(let lease) = ended { await shared?.unlock(lease) }
        resumeOwedAction()
    }
}

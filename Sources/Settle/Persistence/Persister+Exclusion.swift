/// What keeps others from appending between what a transaction reads and its append.
enum Exclusion: Equatable {
    case none
    /// The storage's lock.
    case lock(StorageLease)
    /// Nothing; but the append fails if others were faster.
    case position
    /// Only this store changes the storage.
    case unshared

    /// Whether others wait as long as it lasts.
    var holdsOthersUp: Bool {
        if case .lock = self { true } else { false }
    }

    /// What the storage has to check for it.
    func conditions(at position: StoragePosition) -> [StorageBatch.Condition] {
        switch self {
        case .none, .unshared: []
        case .lock(let lease): lease.timeToLive == nil ? [] : [.under(lease)]
        case .position: [.at(position)]
        }
    }
}

extension Persister {
    /// Excludes others, and fetches what they have changed until now.
    func exclude() async throws(StorageError) {
        guard let shared else { return exclusion = .unshared }
        guard let lease = try await shared.lockForTransaction() else {
            exclusion = .position
            if mustFetch { try await fetchExternalChanges() }
            return
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
        resumeOwedLook()
    }
}

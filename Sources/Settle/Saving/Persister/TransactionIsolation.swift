/// What keeps others from appending between what a transaction reads and its append.
enum TransactionIsolation: Equatable {
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

/// How others are kept from appending between a transaction's reads and its append.
enum TransactionIsolation: Equatable {
    case none
    /// The storage's lock.
    case lock(StorageLease)
    /// Others are not kept from it; but the append fails if they have stored something since this position, which is
    /// the one that the closures of the transactions have read.
    case position(StoragePosition)
    /// Only this store changes the storage.
    case unshared

    /// Whether others have to wait until it ends.
    var holdsOthersUp: Bool {
        if case .lock = self { true } else { false }
    }

    /// The conditions that the storage has to check for it.
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

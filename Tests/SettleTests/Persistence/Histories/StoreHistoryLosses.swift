import Settle

/// How many values a store has given up, as far as the ledger knows.
final class StoreHistoryLosses: Sendable {
    private let known = LockedValue(UInt64(0))

    /// Tells the ledger if the store has given up something since the last call: any unsaved value may be it.
    func note(of store: SettingsStore, by number: Int, until time: Int, in ledger: StoreHistoryLedger) {
        let count = store.statistics.supersededValues
        let isNew = known.withLock { known in
            defer { known = max(known, count) }
            return count > known
        }
        if isNew { ledger.giveUp(number, until: time) }
    }
}

import Settle
import SettleTesting

/// What others change, and the history.
extension FlawedSharedStorage {
    func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        var found = try memory.changes(after: position)
        if has(.changes) {
            // To have asked moves the base's own place, as a careless storage's would be moved.
            if flaw != .forgetsChangesAfterFailure { state.withLock { $0.untold = found.changes } }
            throw StorageError(.unreadable, "It can't be read.")
        }
        found.changes = state.withLock { [found] state in
            let told = state.untold + found.changes
            if state.lags {
                (state.lags, state.untold) = (false, told)
                return []
            }
            state.untold = flaw == .tellsChangesTwice && !found.changes.isEmpty ? found.changes : []
            return told
        }
        switch flaw {
        case .reversesChanges: found.changes.reverse()
        case .leavesAChangeOut: if found.changes.count > 1 { found.changes.removeFirst() }
        case .skipsThePositionAfterChanges:
            if !found.changes.isEmpty { found.position = StoragePosition((found.position.number ?? 0) + 1) }
        default: break
        }
        return found
    }

    func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        let hasTold = LockedValue(false)
        memory.watch { [flaw] event in
            let isFirst = hasTold.withLock { hasTold in
                defer { hasTold = true }
                return !hasTold
            }
            if flaw != .watchNeverTells, flaw != .watchTellsOnce || isFirst { handle(event) }
        }
    }

    func records(after token: ChangeToken, limit: Int) async throws(StorageError) -> [StoredRecord]? {
        let records = try memory.records(after: token, limit: limit)
        switch flaw {
        case .reversesRecords: return records?.reversed()
        case .leavesRecordsOut: return records.map { $0.count > 1 ? Array($0.dropFirst()) : $0 }
        case .followsForeignTokens: return records ?? []
        default: return records
        }
    }

    func records(before token: ChangeToken?, limit: Int) async throws(StorageError) -> [StoredRecord] {
        let records = try memory.records(before: token, limit: limit)
        return flaw == .tellsOldestRecordsFirst ? records.reversed() : records
    }

    func withhold(_ keys: [SettingKey]) async throws(StorageError) {
        if flaw != .keepsSecrets { memory.withhold(keys) }
    }

    func forgetHistory(of key: SettingKey) async throws(StorageError) {
        if flaw != .remembersForgottenKeys { memory.forgetHistory(of: key) }
    }
}

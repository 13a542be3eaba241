/// The transaction to undo.
package enum UndoTarget: Sendable {
    case token(ChangeToken)
    /// The newest one of an author that is not an undo and has not been undone.
    case last(by: String)
}

/// A search for a transaction, from the newest one back.
struct UndoSearch {
    private let target: UndoTarget
    /// The transactions undone by transactions that have not been undone themselves.
    private var undone: Set<ChangeToken> = []

    init(_ target: UndoTarget) {
        self.target = target
    }

    /// - Returns: The transaction, if it is the one to undo.
    /// - Throws: If it can't be undone, or if no transaction before it can.
    mutating func check(_ past: HistoryTransaction) throws(SettingsError) -> HistoryTransaction? {
        if isMeant(past) {
            try past.transaction.checkUndoable(at: past.token)
            return past
        }
        let (token, transaction) = past
        switch target {
        case .token(let wanted):
            guard wanted.history == token.history else { throw .anotherPast(wanted) }
            let start = token.position - min(token.position, transaction.count)
            if wanted.position <= token.position, wanted.position > start {
                throw wanted.checksum == token.checksum ? .withinSum(wanted) : .anotherPast(wanted)
            }
            guard transaction.origin != .migration else {
                throw .notUndoable(wanted, "it was made before the settings were migrated", rule: Self.migrationRule)
            }
        case .last(let name):
            guard transaction.origin != .migration else {
                throw .notUndoable(
                    nil, "“\(name)” has changed nothing since the settings were migrated", rule: Self.migrationRule)
            }
        }
        return nil
    }

    private mutating func isMeant(_ past: HistoryTransaction) -> Bool {
        switch target {
        case .token(let wanted): return past.token == wanted
        case .last(let name):
            guard !undone.contains(past.token) else { return false }
            if let earlier = past.transaction.undone {
                undone.insert(earlier)
                return false
            }
            return past.transaction.author.name == name && past.transaction.origin != .migration
        }
    }

    /// - Parameter end: The position of the newest transaction.
    func notFound(before end: ChangeToken?) -> SettingsError {
        switch target {
        case .token(let wanted):
            let isOfThisPast = end.map { $0.history == wanted.history && wanted.position <= $0.position } ?? false
            return isOfThisPast ? .forgotten(wanted) : .anotherPast(wanted)
        case .last(let name):
            return .notUndoable(nil, "the history has no transaction by “\(name)” that has not been undone")
        }
    }

    fileprivate static let migrationRule = "newer than the newest migration"
}

extension StoredTransaction {
    fileprivate func checkUndoable(at token: ChangeToken) throws(SettingsError) {
        guard origin != .migration else {
            throw .notUndoable(token, "it is a migration", rule: UndoSearch.migrationRule)
        }
        guard count == 1 else {
            throw .notUndoable(token, "it stands for \(count) transactions whose changes are known only together")
        }
        guard let mutations else { throw .notUndoable(token, "its changes are not known") }
        if let secret = mutations.first(where: \.isWithheld) {
            throw .notUndoable(
                token, "it has changed \(SettingsError.quoted(secret.key)), a secret, whose old values are not kept",
                key: secret.key, rule: "no secret")
        }
    }
}

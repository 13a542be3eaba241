extension StoreCore {
    /// - Parameter permit: Throws if a key must not be put back, whatever the declarations say.
    func undo(
        _ target: UndoTarget, force: Bool, author: String?,
        permitting permit: @Sendable (SettingKey) throws -> Void = { _ in }
    ) async throws -> UndoResult {
        let found = LockedValue<HistoryTransaction?>(nil)
        let prepare: Persister.Preparation = { persister in
            let past = try await persister.history.transaction(toUndo: target)
            found.withLock { $0 = past }
        }
        let committed = try await commit(author: author, preparing: prepare) { () throws -> UndoResult in
            // Never missing: the preparation comes first.
            guard let past = found.withLock({ $0 }) else { throw CancellationError() }
            let mutations = past.transaction.mutations ?? []
            let result = try takeBack(mutations, of: past.token, force: force, permitting: permit)
            // A setting that is declared here was refused before, with its declaration.
            guard !past.transaction.isOwners else { throw SettingsError.undoProtected(past.token, mutations) }
            return result
        }
        var result = committed.result
        if let revision = committed.revision { result.token = log.lock.withLock { log.changes.token(of: revision) } }
        return result
    }

    /// Takes mutations back. Requires a transaction.
    ///
    /// - Parameters:
    ///   - token: The transaction that has made them, if it is known.
    ///   - fail: Receives the reason why a setting was left as it is. Without it, the first such error is thrown.
    func takeBack(
        _ mutations: [StoredMutation], of token: ChangeToken?, force: Bool,
        permitting permit: (SettingKey) throws -> Void = { _ in }, failing fail: ((SettingsError) -> Void)? = nil
    ) throws -> UndoResult {
        var result = UndoResult(undone: token, keys: [], conflicts: [])
        var pieces: [SettingKey: [UndoPiece]] = [:]
        for piece in log.lock.withLock({ log.stored.slots.pieces(of: mutations) }) {
            try permit(piece.key)
            if let owned = log.lock.withLock({ log.stored.slots.owned(at: piece.key) }) {
                let error = SettingsError.undoProtected(token, piece.key, by: owned.key, owned.declaration ?? "")
                guard let fail else { throw error }
                fail(error)
                continue
            }
            let now = try ownStored(at: piece.key)
            let isUntouched = areSame(now, piece.then, at: piece.key)
            if isUntouched || force {
                guard !areSame(now, piece.before, at: piece.key) else { continue }
                pieces[piece.place, default: []].append(piece)
                result.keys.append(piece.key.description)
            } else {
                result.conflicts.append(
                    UndoConflict(
                        key: piece.key.description, oldValue: piece.before, valueThen: piece.then, valueNow: now))
            }
        }
        transaction?.note.undone = token
        for (place, pieces) in pieces.sorted(by: \.key) {
            do {
                // A nested transaction, which is undone alone.
                try transact(origin: .local, author: nil) { try putBack(pieces, at: place) }
            } catch {
                guard let fail else { throw error }
                fail(.notPutBack(place, error))
                result.keys.removeAll { key in pieces.contains { $0.key.description == key } }
            }
        }
        result.keys.sort()
        result.conflicts.sort { $0.key < $1.key }
        return result
    }

    private func putBack(_ pieces: [UndoPiece], at place: SettingKey) throws {
        var tree = SettingTree()
        if pieces.contains(where: { $0.key != place }) { tree[place] = try ownStored(at: place) }
        for piece in pieces { tree[piece.key] = piece.before }
        guard let value = tree[place] else { return try stageRemoval(of: place) }
        do throws(StorageError) {
            try persister.storage.check(value, at: place)
        } catch {
            throw SettingsError.encodingFailed(key: place, isSecret: isSecret(place), error)
        }
        // It is stored again even if it changes nothing in force, such as a stored default.
        if let box = log.lock.withLock({ log.stored.slots[place]?.box }) {
            transaction?.putBack.insert(ObjectIdentifier(box))
        }
        try stage(value, given: value, at: place)
    }

    // MARK: Current values

    /// Returns the value of the application's domain at a key, including everything written so far. Requires a
    /// transaction.
    func ownStored(at key: SettingKey) throws -> SettingValue? {
        recordRead(of: key)
        let found = log.lock.withLock {
            FoundKey(stored: log.stored.tree.find(key), unsaved: log.unsavedValues(at: key, inTransaction: true))
        }
        return try found.stored(at: key)
    }

    /// Returns whether two stored values of a key mean the same: a file may spell them differently from a program.
    private func areSame(_ one: SettingValue?, _ other: SettingValue?, at key: SettingKey) -> Bool {
        guard one != other else { return true }
        guard let one, let other else { return false }
        if let box = log.lock.withLock({ log.stored.slots[key].flatMap { $0.declaration == nil ? nil : $0.box } }) {
            return box.areSame(one, other)
        }
        guard let spelled = try? one.json() else { return false }
        return spelled == (try? other.json())
    }
}

extension SettingsError {
    fileprivate static func undoProtected(
        _ token: ChangeToken?, _ key: SettingKey, by owned: SettingKey, _ declaration: String
    ) -> SettingsError {
        notUndoable(
            token, "it has changed \(quoted(key)), and \(quoted(owned)) is \(declaration), which must be \(ownersRule)",
            key: key, rule: ownersRule)
    }

    fileprivate static func undoProtected(_ token: ChangeToken, _ mutations: [StoredMutation]) -> SettingsError {
        let keys = mutations.map(\.key)
        return notUndoable(
            token,
            "it has changed \(keys.map(quoted).joined(separator: ", ")), which include a setting that must be "
                + "\(ownersRule)",
            key: keys.count == 1 ? keys[0] : nil, rule: ownersRule)
    }

    private static let ownersRule = "written by code that has its group"
}

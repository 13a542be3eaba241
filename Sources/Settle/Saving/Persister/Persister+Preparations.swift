/// What transactions look at in the storage before they run, while others are excluded.
extension Persister {
    /// Looks at the storage; what it throws ends the transaction before that has begun.
    typealias Preparation = @Sendable (isolated Persister) async throws -> Void

    /// Appends what has been published so far, if a transaction is going to look at the history: so it has its places
    /// there. A failure is reported where appends are; what is not appended still counts as a change.
    func appendForPreparations() async {
        guard transactions.contains(where: { $0.prepare != nil }) else { return }
        _ = try? await append(.buffered, retryingEncoding: false)
    }

    /// Prepares the waiting transactions.
    ///
    /// - Returns: Those that are refused, which no longer wait.
    func prepareTransactions() async -> [(request: SaveRequest, result: Result<Void, any Error>)] {
        var refused: [(request: SaveRequest, result: Result<Void, any Error>)] = []
        for request in transactions where !request.hasEnded {
            do {
                try await request.prepare?(self)
            } catch {
                refused.append((request, .failure(error)))
            }
        }
        transactions.removeAll { request in refused.contains { $0.request === request } }
        return refused
    }

    /// Whether something has been stored after a place.
    ///
    /// - Parameter keys: What is meant by that: these keys, those within them, and dictionaries around them as far as
    ///   they have them. `nil` if everything is.
    /// - Throws: ``SettingsError`` that says what, or that it is not known.
    func checkNothingStored(after token: ChangeToken, at keys: [SettingKey]?) async throws(SettingsError) {
        var conflict = CommitConflict(keys: [], token: nil, author: nil)
        var changed: Set<SettingKey> = []
        let later: [PastTransaction]
        do {
            later = try await everything(after: token)
        } catch {
            guard error.code == .historyUnavailable, history != nil else { throw error }
            throw .unknownConflict(error)
        }
        for (token, transaction) in later {
            guard let all = transaction.mutations else { throw .unknownConflict(.unknownChanges(at: token)) }
            let found = keys.map(transaction.mutations) ?? all
            guard !found.isEmpty else { continue }
            (conflict.token, conflict.author) = (token, transaction.author)
            changed.formUnion(found.map(\.key))
        }
        guard !changed.isEmpty else { return }
        conflict.keys = changed.sorted().map(\.description)
        throw .conflict(conflict)
    }
}

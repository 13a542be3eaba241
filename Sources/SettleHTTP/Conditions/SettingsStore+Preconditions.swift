import Settle

/// The request names no token that there has ever been, or contents that are no longer current.
struct NoKnownToken: Error {}

extension SettingsStore {
    /// Runs a transaction if nothing of what it builds on has changed, and returns once it is on stable storage.
    ///
    /// - Parameters:
    ///   - keys: The keys that it builds on; all if `nil`.
    ///   - contents: Returns the body of the representation that the precondition is about.
    /// - Throws: ``SettingsError`` with the code ``SettingsError/Code/conflict`` if they have changed;
    ///   ``NoKnownToken``; otherwise as `commit` does.
    func commit<Result: Sendable>(
        if precondition: Precondition, of keys: [String]?, contents: () throws -> [UInt8], author: String,
        _ body: () throws -> Result
    ) async throws -> Result {
        let tokens: [ChangeToken]
        switch precondition {
        case .none: return try await commit(author: author, body)
        case .unchanged(let known): tokens = known
        case .unchangedContents(let digests):
            return try await commit(author: author) {
                // A secret that has been written since is not in the contents, and has no token before it is stored.
                try checkNothingUnappended(among: keys)
                // One that has been stored since is not in them either. A history without transactions may have been
                // begun by a change that was refused.
                guard (history.token?.position ?? 0) == 0,
                    digests.contains(EntityTag(nil, of: try contents()).digest)
                else { throw NoKnownToken() }
                return try body()
            }
        }
        // If nothing has changed since an older token of the history, nothing has since the newest one. A try for each
        // would let one request occupy the storage for long.
        let current = history.token?.history
        let rank = { (token: ChangeToken) in (token.history == current ? 1 : 0, token.position) }
        guard let newest = tokens.max(by: { rank($0) < rank($1) }) else { throw NoKnownToken() }
        return try await commit(ifUnchangedSince: newest, keys: keys, author: author, body)
    }

    /// Runs a transaction like that, and undoes it, so that it is never visible.
    ///
    /// - Returns: The result of the closure, which sees its own writes.
    /// - Throws: The error of the closure, such as that of a value that is refused; otherwise as the commit.
    func trying<Result: Sendable>(
        if precondition: Precondition, of keys: [String]?, contents: () throws -> [UInt8],
        _ body: () throws -> Result
    ) async throws -> Result {
        do {
            // An update needs neither the file's lock nor its disk.
            if precondition == .none { return try trying(body) }
            return try await commit(if: precondition, of: keys, contents: contents, author: "a trial") {
                throw Found(result: try body())
            }
        } catch let found as Found<Result> {
            return found.result
        }
    }

    /// Runs a transaction and undoes it, so that it is never visible.
    func trying<Result: Sendable>(_ body: () throws -> Result) throws -> Result {
        do {
            return try update { throw Found(result: try body()) }
        } catch let found as Found<Result> {
            return found.result
        }
    }
}

/// The result of a trial. It is thrown, because that undoes a transaction.
private struct Found<Result: Sendable>: Error {
    let result: Result
}

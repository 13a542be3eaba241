import Settle

extension SettingsStore {
    /// Runs a transaction if nothing of what it builds on has changed, and returns once it is on stable storage.
    ///
    /// - Parameter keys: What it builds on; everything if `nil`.
    /// - Throws: ``SettingsError`` with the code ``SettingsError/Code/conflict`` if that has changed; otherwise as
    ///   `commit` does.
    func commit<Result: Sendable>(
        if precondition: Precondition, of keys: [String]?, author: String, _ body: () throws -> Result
    ) async throws -> Result {
        guard case .unchanged(let tokens) = precondition else { return try await commit(author: author, body) }
        guard let token = tokens.last else { throw Precondition.NoPlace() }
        for earlier in tokens.dropLast() {
            do {
                return try await commit(ifUnchangedSince: earlier, keys: keys, author: author, body)
            } catch {
                guard (error as? SettingsError)?.code == .conflict else { throw error }
            }
        }
        return try await commit(ifUnchangedSince: token, keys: keys, author: author, body)
    }

    /// Runs a transaction like that, and undoes it, so that nobody sees it.
    ///
    /// - Returns: What the closure found, which sees its own writes.
    /// - Throws: What the closure throws, such as the error of a value that is refused; otherwise as the commit.
    func trying<Result: Sendable>(
        if precondition: Precondition, of keys: [String]?, _ body: () throws -> Result
    ) async throws -> Result {
        do {
            // An update needs neither the file's lock nor its disk.
            if precondition == .none { return try update { throw Found(result: try body()) } }
            return try await commit(if: precondition, of: keys, author: "a trial") { throw Found(result: try body()) }
        } catch let found as Found<Result> {
            return found.result
        }
    }
}

/// The result of a trial. It is thrown, because that undoes a transaction.
private struct Found<Result: Sendable>: Error {
    let result: Result
}

import Settle

extension SettingsStore {
    /// Runs a transaction and undoes it, so that nobody sees it.
    ///
    /// - Returns: What the closure found, which sees its own writes.
    /// - Throws: What the closure throws, such as the error of a value that is refused.
    func trying<Result: Sendable>(_ body: () throws -> Result) throws -> Result {
        do {
            _ = try update { () throws -> Never in throw Found(result: try body()) }
        } catch let found as Found<Result> {
            return found.result
        }
    }
}

/// The result of a trial. It is thrown, because that undoes an update.
private struct Found<Result: Sendable>: Error {
    let result: Result
}

/// A settings library in the trials: the operations that the children need.
protocol Contender: Sendable {
    /// The number stored for a key, 0 if there is none.
    func number(_ key: String) throws -> Int
    /// The text stored for a key, empty if there is none.
    func text(_ key: String) throws -> String

    /// Writes without waiting for the disk, in one transaction if the library has transactions.
    func write(_ numbers: [String: Int]) throws
    /// Writes, and returns once everything is on disk.
    func commit(_ numbers: [String: Int], texts: [String: String]) async throws
    /// Adds one to a number and writes others, and returns once everything is on disk.
    func increment(_ key: String, with numbers: [String: Int]) async throws
    /// Returns once everything is on disk.
    func flush() async throws
    /// Replaces the secret, and returns once the new one is on disk. Does nothing if the library has no secret store.
    func writeSecret(_ number: Int) async throws
    /// Closes in order.
    ///
    /// - Returns: The issues reported by the library since it was opened.
    func close() async throws -> [String]
}

/// The author of a transaction, as far as known.
public struct TransactionAuthor: Sendable, Hashable, Codable {
    /// The name passed to `update(author:)` or ``SettingsStore/commit(author:confirmWithin:_:)``.
    public var name: String?
    /// The name of the program.
    public var program: String?
    /// The number of its process.
    public var process: Int32?
    /// The name of the user that ran the process, or else the user's number.
    public var user: String?

    /// Creates an author; by default nothing about it is known.
    public init(name: String? = nil, program: String? = nil, process: Int32? = nil, user: String? = nil) {
        self.name = name
        self.program = program
        self.process = process
        self.user = user
    }

    /// Returns the same process under another name.
    package func named(_ name: String?) -> TransactionAuthor {
        TransactionAuthor(name: name, program: program, process: process, user: user)
    }
}

extension TransactionAuthor: CustomStringConvertible {
    /// For example `“cli” (settings-tool 4711, alice)`.
    public var description: String {
        let process = [program, process.map { "\($0)" }].compactMap(\.self).joined(separator: " ")
        let details = [process, user ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
        let name = name.map { "“\($0)”" }
        guard !details.isEmpty else { return name ?? "unknown" }
        return name.map { "\($0) (\(details))" } ?? details
    }
}

/// Who made a transaction, as far as that is known.
public struct TransactionAuthor: Sendable, Hashable, Codable {
    /// The name that was given to `update(author:)` or ``SettingsStore/commit(author:confirmWithin:_:)``.
    public var name: String?
    /// The name of the program.
    public var program: String?
    /// The number of its process.
    public var process: Int32?
    /// The name of the user whose process it was, or else their number.
    public var user: String?

    /// Creates an author; nothing of it is known by default.
    public init(name: String? = nil, program: String? = nil, process: Int32? = nil, user: String? = nil) {
        self.name = name
        self.program = program
        self.process = process
        self.user = user
    }

    /// The same process under another name.
    package func named(_ name: String?) -> TransactionAuthor {
        TransactionAuthor(name: name, program: program, process: process, user: user)
    }
}

extension TransactionAuthor: CustomStringConvertible {
    /// Such as `“cli” (settings-tool 4711, alice)`.
    public var description: String {
        let process = [program, process.map { "\($0)" }].compactMap(\.self).joined(separator: " ")
        let details = [process, user ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
        let name = name.map { "“\($0)”" }
        guard !details.isEmpty else { return name ?? "unknown" }
        return name.map { "\($0) (\(details))" } ?? details
    }
}

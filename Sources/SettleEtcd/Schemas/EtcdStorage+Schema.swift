public import Settle

/// The schema of the settings, for tools that don't know the programs that declare them.
extension EtcdStorage {
    /// Returns the JSON Schema of the settings, as last received from the cluster.
    ///
    /// In the closure of a commit, it is at least as new as the values there. If another schema is stored at the same
    /// moment, the commit may be stored all the same.
    ///
    /// - Returns: `nil` if none is stored, or before ``load()``.
    /// - Throws: `StorageError` with the code `StorageError.Code.unreadable` if another tool has stored something else
    ///   there.
    public nonisolated func schema() throws(StorageError) -> SettingValue? {
        switch schemaContent.withLock({ $0 }) {
        case nil: nil
        case .schema(let schema)?: schema
        default: throw space.schemaIsUnusable
        }
    }

    /// Stores the JSON Schema of the settings beside them, for `fleet set` and other tools to check what they write.
    ///
    /// ```swift
    /// try await storage.storeSchema(store.file.schema().jsonSchema, version: "1.4")
    /// ```
    ///
    /// The first service of each version stores the schema; a service of that version or an older one stores nothing.
    /// Followers of the settings get no change, and the history has no entry. The schema is in force in ``schema()``,
    /// here and elsewhere, once the stream of changes has delivered it.
    ///
    /// - Parameters:
    ///   - schema: A JSON object.
    ///   - version: The version of the program that declares the settings, such as `1.4.2`. The parts between dots are
    ///     compared as numbers, from left to right. `nil`: the schema replaces the stored one, and keeps its version.
    /// - Throws: `StorageError` if the schema is not a JSON object, or can't be stored.
    public nonisolated func storeSchema(_ schema: SettingValue, version: String?) async throws(StorageError) {
        guard case .dictionary(let entries) = schema else { throw space.schemaIsNoObject }
        let key = space.key(.schema)
        for _ in 0..<Self.attemptLimit {
            let pair = try await cluster.read(RangeRequest(key: key)).range.pairs.first
            let stored = pair.flatMap { SchemaRecord($0.value) }
            guard let record = SchemaRecord.record(of: entries, version: version, over: stored), record != stored else {
                return
            }
            let request = TransactionRequest(
                comparisons: [Comparison(key: key, target: .modified(at: pair?.modRevision ?? 0))],
                success: [.put(key: key, value: try BatchPlan.encode(.dictionary(record.schema), Self.schemaKey))])
            let answer = try await cluster.run("stored") { () throws(GatewayFailure) in
                try await cluster.transact(request)
            }
            if answer.succeeded { return }
        }
        throw space.overtaken(Self.attemptLimit, outcome: "The schema was not stored.")
    }

    /// The name of the schema in errors.
    private static let schemaKey: SettingKey = "$settle/schema"
}

/// The migrations that the storage records, and those that this program knows.
struct KnownMigrations: Sendable {
    var record = MigrationRecord()
    /// `nil` for a program without a list, such as a tool, which no migration holds up.
    var names: [String]?
    /// Whether the storage has been found to be ahead of the program, and that has been reported.
    var isReported = false

    /// Why nothing may be saved.
    var refusal: StorageError? { names.flatMap { record.foreignStep(besides: $0) }.map { .migrated(by: $0) } }

    /// What a storage that knows more than the store has to check.
    var conditions: [StorageBatch.Condition] { names.map { [.migrated(within: $0)] } ?? [] }
}

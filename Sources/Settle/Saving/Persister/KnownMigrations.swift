/// The migrations that the storage records, and those that this program knows.
struct KnownMigrations: Sendable {
    var record = MigrationRecord()
    /// `nil` for a program without a list, such as a tool, which no migration holds up.
    var names: [String]?
    /// Where the schema of a new file will be. Stored with the first values, since a file is not made for it alone.
    var schemaOfNewFile: SettingValue?
    /// Whether the storage has been found to be ahead of the program, and that has been reported.
    var isReported = false

    /// Why nothing may be saved.
    var refusal: StorageError? { names.flatMap { record.foreignStep(besides: $0) }.map { .migrated(by: $0) } }

    /// What a storage that knows more than the store has to check.
    var conditions: [StorageBatch.Condition] { names.map { [.migrated(within: $0)] } ?? [] }

    /// Adds what is to be stored beside the first values.
    func complete(_ batch: inout StorageBatch) {
        guard let schemaOfNewFile, record.schemaLocation == nil, !batch.values.isEmpty else { return }
        batch.values[SettingKey(name: MigrationRecord.schemaName)] = schemaOfNewFile
    }

    mutating func didStore(_ batch: StorageBatch) {
        if let unconfirmed = batch.values[UnconfirmedCommit.key] { record.unconfirmed = unconfirmed }
        guard let location = batch.values[SettingKey(name: MigrationRecord.schemaName)] else { return }
        record.schemaLocation = location
        schemaOfNewFile = nil
    }
}

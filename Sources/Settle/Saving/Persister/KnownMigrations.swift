/// The migrations that the storage records, and those that this program knows.
struct KnownMigrations: Sendable {
    var record = MigrationRecord()
    /// `nil` for a program without a list, such as a tool, which migrations do not hold up.
    var names: [String]?
    /// The schema's location in a new file. Stored with the first values, because it is not a reason to make a file.
    var schemaOfNewFile: SettingValue?
    /// Whether the storage was found to be ahead of the program, and that has been reported.
    var isReported = false

    /// The error that forbids saving.
    var refusal: StorageError? { names.flatMap { record.refusal(within: $0) } }

    /// The conditions that a storage has to check if it knows more migrations than the store.
    var conditions: [StorageBatch.Condition] { names.map { [.migrated(within: $0)] } ?? [] }

    /// Adds the data to be stored beside the first values.
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

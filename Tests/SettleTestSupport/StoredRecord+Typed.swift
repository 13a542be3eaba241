package import Settle

extension [StoredRecord] {
    /// The single transactions, for ``FormatFixture/expected()``.
    package var typed: SettingValue {
        .array(flatMap { record in record.entries.map { Self.entry($0.token, $0.transaction) } })
    }

    private static func entry(_ token: ChangeToken, _ transaction: StoredTransaction) -> SettingValue {
        let author = transaction.author
        var entry: SettingValue.Entries = [
            "token": .string(token.description), "time": SettingValue.real(transaction.time).typed,
            "origin": .string(transaction.origin.rawValue), "count": .integer(Int64(transaction.count)),
            "name": .text(author.name), "program": .text(author.program), "user": .text(author.user),
            "process": author.process.map { SettingValue.integer(Int64($0)) } ?? .null,
            "undone": .text(transaction.undone?.description), "reason": .text(transaction.reason),
            "isOwners": .bool(transaction.isOwners),
        ]
        guard let mutations = transaction.mutations else { return .dictionary(entry) }
        var changes: SettingValue.Entries = [:]
        for mutation in mutations {
            var change: SettingValue.Entries = ["isWithheld": .bool(mutation.isWithheld)]
            change["old"] = mutation.oldValue?.typed
            change["new"] = mutation.newValue?.typed
            changes[mutation.key.description] = .dictionary(change)
        }
        entry["changes"] = .dictionary(changes)
        return .dictionary(entry)
    }
}

/// The steps of a program's list that a storage has not seen, and their result for its values.
struct MigrationPlan: Sendable {
    /// The steps to run, in the order of the list. None if a newer program has migrated the storage.
    let due: [SettingsMigration]
    private let record: MigrationRecord

    /// - Throws: ``MigrationFailure`` if two steps have the same name, if the record can't be read, or if it shows that
    ///   the list has lost a step.
    init(_ list: [SettingsMigration], recorded record: MigrationRecord) throws(MigrationFailure) {
        var known: Set<String> = []
        for step in list where !known.insert(step.name).inserted {
            throw MigrationFailure(reason: "Two migrations have the name “\(step.name)”. Give one of them another.")
        }
        guard record.names != nil else {
            throw MigrationFailure(
                key: SettingKey(name: MigrationRecord.name),
                reason:
                    "“\(MigrationRecord.name)” must have a list of names under “migrations”, but has another value. "
                    + "Correct it by hand. A step whose name is missing there runs again.")
        }
        self.record = record
        let recorded = record.recorded(among: list.map(\.name))
        let made = Set(recorded.compactMap(\.step))
        due = list.filter { !made.contains($0.name) }
        guard let unknown = recorded.firstIndex(where: { $0.step == nil }) else { return }
        // A newer program has run all steps of this list before its own.
        let later = recorded[unknown...].lazy.compactMap(\.step).first
        guard later == nil, due.isEmpty else {
            throw .lost(recorded[unknown].name, before: later, without: due.first?.name)
        }
    }

    /// Returns the values after the steps, with the record of the steps.
    ///
    /// - Parameters:
    ///   - addingOnly: Whether programs of other versions use the values too, so that each value must stay as it is.
    ///   - check: Refuses a value that can't be stored.
    func apply(
        to tree: SettingTree, addingOnly: Bool = false, check: (SettingKey, SettingValue) throws -> Void = { _, _ in }
    ) throws(MigrationFailure) -> SettingTree {
        var result = tree
        _ = MigrationRecord(takenFrom: &result)
        for step in due {
            do {
                let before = result
                try step.change(&result)
                // Values under the record's names are not the step's.
                _ = MigrationRecord(takenFrom: &result)
                if addingOnly { try Self.checkAdding(from: before, to: result) }
                for (name, value) in result.root where before.root[name] != value {
                    let key = SettingKey(name: name)
                    try MigrationFailure.naming(key) { try check(key, value) }
                }
            } catch {
                throw MigrationFailure(error, in: step)
            }
        }
        var record = record
        record.add(due.map(\.name))
        record.put(into: &result)
        return result
    }

    private static func checkAdding(from old: SettingTree, to new: SettingTree) throws(MigrationFailure) {
        guard let change = TreeDifference(from: old, to: new).changes.first(where: { $0.old != nil }) else { return }
        let act = change.new == nil ? "removes or renames" : "changes"
        throw MigrationFailure(
            key: change.key,
            reason:
                "It \(act) a value, but programs of other versions share the stored values, so a step may only add "
                + "values. Add a setting under another key, and leave this one to those programs.")
    }
}

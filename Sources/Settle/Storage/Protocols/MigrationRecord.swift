/// The data beside the settings in a storage, under reserved names: the migrations that were made, the commit that has
/// not been confirmed, and, in a file, the location of its JSON Schema.
///
///     "$schema": "./settings.schema.json",
///     "$settle": { "migrations": ["rename theme to look.theme", "sizes in points"] }
///
/// Programs that know nothing of the record preserve it, like any unknown key. The schema's location is for editors:
/// the user may write anything there, and programs do not change it.
package struct MigrationRecord: Sendable, Equatable {
    /// The outermost name of the migrations.
    package static let name = "$settle"
    /// The outermost name of the schema's location.
    package static let schemaName = "$schema"
    /// The outermost names under which nothing is a setting.
    private static let names = [name, schemaName]

    private static let steps = "migrations"
    private var entries: SettingTree

    package init() { entries = SettingTree() }

    /// Reads the record of a tree, whether or not its contents are valid.
    package init(in tree: SettingTree) {
        entries = SettingTree()
        for name in Self.names {
            if let value = tree.root[name] { entries.root[name] = value }
        }
    }

    /// Takes the record out of a tree, so that only values are left.
    package init(takenFrom tree: inout SettingTree) {
        self.init(in: tree)
        for name in Self.names where tree.root[name] != nil { tree.root[name] = nil }
    }

    /// Returns whether a key belongs to the record.
    @inline(never) package static func has(_ key: SettingKey) -> Bool { names.contains(key.split?.first ?? key.name) }

    package func put(into tree: inout SettingTree) {
        for (name, value) in entries.root { tree.root[name] = value }
    }

    /// The location of the JSON Schema, relative to the file.
    package var schemaLocation: SettingValue? {
        get { entries.root[Self.schemaName] }
        set { entries.root[Self.schemaName] = newValue }
    }

    /// The record of the commit that is not confirmed; see ``UnconfirmedCommit``.
    package var unconfirmed: SettingValue? {
        get { entries[UnconfirmedCommit.key] }
        set {
            guard newValue != nil || entries[UnconfirmedCommit.key] != nil else { return }
            entries[UnconfirmedCommit.key] = newValue
        }
    }

    /// Returns whether a mutation changes the migrations of the record.
    package static func isMigration(_ mutation: StoredMutation) -> Bool {
        guard (mutation.key.split?.first ?? mutation.key.name) == name else { return false }
        let steps = SettingKey.path(name, steps)
        return mutation.key == steps || mutation.part(at: steps) != nil
    }

    /// The names of the steps that were made, in order; `nil` if the stored value is not a list of names.
    package var names: [String]? {
        guard let value = entries.root[Self.name] else { return [] }
        guard case .dictionary(let record) = value else { return nil }
        guard let steps = record[Self.steps] else { return [] }
        guard case .array(let values) = steps else { return nil }
        let names = values.compactMap { if case .string(let name) = $0 { name } else { nil } }
        return names.count == values.count ? names : nil
    }

    package mutating func add(_ names: [String]) {
        let all = (self.names ?? []) + names
        entries[SettingKey.path(Self.name, Self.steps)] = .array(all.map { .string($0) })
    }

    /// Returns the recorded names, each with the matching step of a program, or `nil` if the program does not have it.
    ///
    /// Earlier versions named a conversion after its types: “convert pause from Int to Double” is the step “convert
    /// pause”, unless a step has that name itself.
    package func recorded(among steps: [String]) -> [(name: String, step: String?)] {
        let names = names ?? []
        var others = steps.filter { !names.contains($0) }
        return names.map { name in
            if steps.contains(name) { return (name, name) }
            let index = others.firstIndex { $0.hasPrefix("convert ") && name.hasPrefix($0 + " from ") }
            return (name, index.map { others.remove(at: $0) })
        }
    }

    /// Returns the first recorded step that a program does not know.
    package func foreignStep(besides known: [String]) -> String? {
        guard entries.root[Self.name] != nil, names?.allSatisfy(known.contains) == false else { return nil }
        return recorded(among: known).first { $0.step == nil }?.name
    }

    /// Returns the error that forbids a program to save: a step is recorded that it does not know, or the record can't
    /// be read.
    package func refusal(within known: [String]) -> StorageError? {
        guard entries.root[Self.name] != nil else { return nil }
        guard names != nil else { return .unreadableMigrations }
        return foreignStep(besides: known).map { .migrated(by: $0) }
    }

    /// Takes its own part out of a change that others have made.
    ///
    /// - Returns: Whether the recorded steps have changed.
    package mutating func take(from change: inout ExternalChange) -> Bool {
        let before = names
        switch change.content {
        case .unusable: return false
        case .everything(var tree):
            self = MigrationRecord(takenFrom: &tree)
            change.content = .everything(tree)
        case .values(var values):
            let own = values.keys.filter(Self.has)
            guard !own.isEmpty else { return false }
            for key in own.sorted() { entries[key] = values.removeValue(forKey: key) ?? nil }
            change.content = .values(values)
        }
        return names != before
    }
}

extension StorageError {
    fileprivate static let unreadableMigrations = StorageError(
        .migrated,
        "“\(MigrationRecord.name)” must have a list of names under “migrations”, but has another value, so it is not "
            + "known which migrations have run. Nothing is saved until it is corrected by hand.")

    /// - Parameter step: One that the program does not know.
    package static func migrated(by step: String) -> StorageError {
        StorageError(
            .migrated,
            "A newer program has migrated the settings with the step “\(step)”, which this one does not know. "
                + "Nothing more is saved: use the newer program.")
    }
}

extension SettingTree {
    /// Checks ``StorageBatch/Condition/migrated(within:)`` for a storage that has read the stored values, or at least
    /// those at `$settle` and within it.
    ///
    /// - Throws: ``StorageError`` with ``StorageError/Code/migrated`` if a migration is recorded that `known` does not
    ///   name, or if the record can't be read.
    public func checkMigrations(within known: [String]) throws(StorageError) {
        if let refusal = MigrationRecord(in: self).refusal(within: known) { throw refusal }
    }
}

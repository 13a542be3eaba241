import Settle
import SettleInterchange

/// Changes of stored values, computed one after the other, that are stored together.
struct ValueChanges {
    /// The values with all changes so far.
    private(set) var values: SettingTree
    private let declared: DeclaredSettings
    private var steps: [Step] = []
    /// The index of the newest step at each key.
    private var newest: [SettingKey: Int] = [:]
    /// The index of the newest step at or within each key.
    private var newestWithin: [SettingKey: Int] = [:]

    private struct Step {
        let key: SettingKey
        /// `nil` removes the value.
        var value: SettingValue?
    }

    /// - Parameters:
    ///   - values: The stored values.
    ///   - compute: Adds the changes.
    init(
        of values: SettingTree, _ declared: DeclaredSettings, _ compute: (inout ValueChanges) throws -> Void
    ) rethrows {
        (self.values, self.declared) = (values, declared)
        try compute(&self)
    }

    var isEmpty: Bool { steps.isEmpty }

    /// The keys that have a new value, sorted.
    var writtenKeys: [SettingKey] { Set(steps.lazy.filter { $0.value != nil }.map(\.key)).sorted() }

    /// Sets a value, or removes it if it is `nil`.
    mutating func set(_ value: SettingValue?, at key: SettingKey) {
        for part in declared.parts(of: value, at: key, replacing: values) { add(part.value, at: part.key) }
    }

    private mutating func add(_ value: SettingValue?, at key: SettingKey) {
        values[key] = value
        // A name with dots and a path can stand for the same value.
        let path = key.asPath
        let parents = path.parents
        // Many insertions into one array keep only its last value.
        if let index = newest[path], steps[index].key == key, newestWithin[path] == index,
            parents.allSatisfy({ newest[$0, default: -1] < index })
        {
            steps[index].value = value
            return
        }
        newest[path] = steps.count
        for key in parents + [path] { newestWithin[key] = steps.count }
        steps.append(Step(key: key, value: value))
    }

    /// Stores the changes. Call it in a transaction.
    func apply(to store: SettingsStore) throws {
        for step in steps { try store.keys.replaceValue(with: step.value, forKey: step.key) }
    }

    /// Returns the values from which the changes were computed, with those that the store has now at the changed keys.
    /// Call it in a transaction.
    ///
    /// - Parameter values: The values from which they were computed.
    func valuesNow(of values: SettingTree, in store: SettingsStore) throws -> SettingTree {
        var now = values
        for key in Set(steps.map(\.key)) {
            let related = declared.related(to: key)
            let isSecret = related.contains(where: \.isSecret)
            // A store does not show the values of owner-only settings, and of secrets only that of a declared key.
            guard !related.contains(where: \.isOwners), !isSecret || declared[key] != nil else { continue }
            let own = isSecret ? try store.keys.ownValue(forKey: key) : store.ownValue(forKey: key)
            if own != now[key] { now[key] = own }
        }
        return now
    }
}

extension Invocation {
    /// Stores the change of the verb.
    func storeChange() async throws {
        guard let change = arguments.verb.change else { return }
        let (target, declared) = try settings()
        try await store(in: target, declared) { changes in try change(self, target, declared, &changes) }
    }

    /// Stores changes in one transaction.
    ///
    /// - Parameter compute: Adds the changes. Called once more in the transaction if others have written meanwhile:
    ///   what adds to an array would otherwise undo what they have added.
    func store(
        in target: CommandTarget, _ declared: DeclaredSettings,
        _ compute: @Sendable (inout ValueChanges) throws -> Void
    ) async throws {
        try await target.writing { store in
            let stored = try await target.valuesIfAny()
            // Before the transaction, so that a refused change leaves no files.
            let changes = try ValueChanges(of: stored, declared, compute)
            guard !changes.isEmpty else { return }
            try await commit(to: store, declared) {
                let now =
                    switch target {
                    case .file(let address): try address.contents().tree
                    case .program: try changes.valuesNow(of: stored, in: store)
                    }
                let current = now == stored ? changes : try ValueChanges(of: now, declared, compute)
                try current.apply(to: store)
            }
            for key in changes.writtenKeys { reportIfOverridden(key, in: store, declared) }
        }
    }
}

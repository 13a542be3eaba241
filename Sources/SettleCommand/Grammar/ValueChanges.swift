import Settle
import SettleInterchange

/// Changes of stored values, computed one after the other, that are stored together.
struct ValueChanges {
    /// The values with all changes so far.
    private(set) var values: SettingTree
    private var steps: [Step] = []

    private struct Step {
        let key: SettingKey
        let value: SettingValue?
        /// The values before it.
        let before: SettingTree
    }

    /// - Parameters:
    ///   - values: The stored values.
    ///   - compute: Adds the changes.
    init(of values: SettingTree, _ compute: (inout ValueChanges) throws -> Void) rethrows {
        self.values = values
        try compute(&self)
    }

    var isEmpty: Bool { steps.isEmpty }

    /// The keys that have a new value.
    var writtenKeys: [SettingKey] { steps.filter { $0.value != nil }.map(\.key) }

    /// Sets a value, or removes it if it is `nil`.
    mutating func set(_ value: SettingValue?, at key: SettingKey) {
        steps.append(Step(key: key, value: value, before: values))
        values[key] = value
    }

    /// Stores the changes. Call it in a transaction.
    func apply(to store: SettingsStore, _ declared: DeclaredSettings) throws {
        for step in steps {
            if let value = step.value {
                try store.keys.setValue(value, forKey: step.key, keepingSecretsOf: declared, in: step.before)
            } else {
                try store.keys.removeValue(forKey: step.key)
            }
        }
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
            let changes = try ValueChanges(of: stored, compute)
            guard !changes.isEmpty else { return }
            try await commit(to: store, declared) {
                guard case .file(let address) = target, case let now = try address.contents().tree, now != stored else {
                    return try changes.apply(to: store, declared)
                }
                try ValueChanges(of: now, compute).apply(to: store, declared)
            }
            for key in changes.writtenKeys { reportIfOverridden(key, in: store, declared) }
        }
    }
}

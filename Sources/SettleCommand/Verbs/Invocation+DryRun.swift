import Settle
import SettleInterchange

extension Invocation {
    /// Shows which values would change, and ends as storing them would.
    ///
    /// - Throws: ``CommandFailure`` with the code of the worst refusal.
    func showDifference(
        in target: CommandTarget, to values: SettingTree, _ mode: SettingsStore.ImportMode
    ) async throws {
        let declared = try target.declared()
        let stored = try await target.valuesIfAny()
        let values = declared.respelled(values, as: stored)
        // A program's own store resets all declared settings, whether they are stored or not.
        let resettable = stored.leaves(within: declared) + (isTool ? [] : declared.all.map(\.key))
        let removed = mode == .replace ? resettable.filter { !declared.isKept($0) } : []
        let keys = Set(values.leaves(within: declared)).union(removed)
        let locked = try await target.reading { store in
            keys.filter { store.keys.isLocked($0) }
        }
        var changes: [DryRunChange] = []
        for key in keys.sorted() {
            let (old, new) = (stored[key], values[key])
            let refusal = self.refusal(of: new, at: key, declared, isLocked: locked.contains(key))
            guard old != new || refusal != nil else { continue }
            func shown(_ value: SettingValue) -> SettingValue { declared.hidingSecrets(in: value, at: key) }
            changes.append(
                DryRunChange(
                    key: key, old: old.map(shown), new: new.map(shown), isChange: old != new, refusal: refusal))
        }
        if format != nil {
            try show(.array(changes.map(\.record)))
        } else {
            for change in changes { try change.write(to: terminal) }
        }
        let refusals = changes.compactMap(\.refusal)
        guard let worst = refusals.max(by: { $0.code.rawValue < $1.code.rawValue }) else { return }
        throw CommandFailure(worst.code, "Nothing would be stored: \(refusals.count) of the values would be refused.")
    }

    /// - Parameter value: The new value; `nil` if it is removed.
    private func refusal(
        of value: SettingValue?, at key: SettingKey, _ declared: DeclaredSettings, isLocked: Bool
    ) -> CommandFailure? {
        if isLocked { return CommandFailure(.locked, "“\(key)” is locked by an administrator.") }
        guard let value else { return nil }
        do throws(CommandFailure) {
            try check(value, at: key, declared)
        } catch {
            return error
        }
        // A program's own store reports this itself when it stores.
        guard !isTool, let setting = declared.setting(at: key) else { return nil }
        if setting.isOwners { return CommandFailure(.locked, "“\(key)” belongs to its owner.") }
        return setting.refusal(of: value).map { CommandFailure(.refused, $0) }
    }
}

extension DeclaredSettings {
    /// Returns whether a replacement of all values leaves a key unchanged.
    fileprivate func isKept(_ key: SettingKey) -> Bool {
        setting(around: key).map { $0.isSecret || $0.isOwners } ?? false
    }
}

/// The effect of an import on a key.
private struct DryRunChange {
    let key: SettingKey
    let old: SettingValue?
    let new: SettingValue?
    /// Whether the value changes. Secrets look the same before and after.
    let isChange: Bool
    let refusal: CommandFailure?

    var record: SettingValue {
        var record: SettingValue.Entries = ["key": .string(key.description)]
        record["oldValue"] = old
        record["newValue"] = new
        record["refusal"] = refusal.map { .string($0.description) }
        return .dictionary(record)
    }

    func write(to terminal: any CommandTerminal) throws(CommandFailure) {
        if let old, isChange { try terminal.say("- \(key) = \(old.line)", .red) }
        if let new, isChange { try terminal.say("+ \(key) = \(new.line)", .green) }
        if let refusal { terminal.complain("It would be refused. \(refusal)") }
    }
}

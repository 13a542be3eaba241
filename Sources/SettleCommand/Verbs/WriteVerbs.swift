import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Verbs that change single values.
enum WriteVerbs {
    static let write = Verb(
        name: "write", aliases: ["set"], scope: .domain, operands: [.key],
        options: [.force, .literal, .author, .confirmWithin],
        summary: "Stores a value, and waits until it is on stable storage.",
        details: """
            The value may have a flag for its type: \(ValueFlag.allCases.map(\.rawValue).joined(separator: ", ")). \
            Without one it is a property list, in XML or in the old style, as in “defaults”, so 5 is a text, unless the \
            program has declared the setting: then it is what the declaration says. With --json it is JSON.

            A value in place of the key is a dictionary of all values, which replaces what is stored. So does a dictionary at \
            the key of a group of settings. Secrets that it does not name stay.
            """,
        takesValue: true,
        action: { invocation in
            guard invocation.arguments.value.isEmpty else { return try await invocation.storeChange() }
            try await invocation.replaceAll(of: try invocation.target(), with: invocation.operands.first ?? "")
        },
        change: { invocation, _, declared, changes in
            try invocation.addValue(to: &changes, declared, isInserted: false)
        })

    static let insert = Verb(
        name: "insert", scope: .domain, operands: [.key], options: [.force, .literal, .author, .confirmWithin],
        summary: "Inserts an element into an array before the given index, or stores a value for a new key.",
        details: """
            The key is that of the array with an index, from 0 to the number of elements: list.2. A key that has a value \
            already is refused. The value is that of “write”.
            """,
        takesValue: true,
        action: { invocation in try await invocation.storeChange() },
        change: { invocation, _, declared, changes in
            try invocation.addValue(to: &changes, declared, isInserted: true)
        })

    static let delete = Verb(
        name: "delete", aliases: ["remove", "reset", "unset"], scope: .domain, operands: [.key.optional],
        options: [.literal, .author, .confirmWithin],
        summary: "Removes the stored value of a key, or all stored values.",
        details: """
            A declared setting has its default then: its value is removed at its path and under names with dots. So \
            are those of a group. Without a key, everything is removed, except what is its owner's. An element of an \
            array is removed by the array's key with its index: list.0.
            """,
        action: { invocation in
            guard invocation.operands.isEmpty else { return try await invocation.storeChange() }
            let (target, declared) = try invocation.settings()
            let stored = try await target.writing { store in
                let stored = try await target.valuesIfAny()
                guard !stored.root.isEmpty else { throw target.notFound }
                try await invocation.commit(to: store, declared) { try store.removeAll(stored, declared) }
                return stored
            }
            invocation.reportKept(declared.all.filter { $0.isOwners && declared.value(of: $0, in: stored) != nil })
        },
        change: { invocation, target, declared, changes in
            let key = try invocation.changedKey(declared, changes.values)
            // Check before the search: a program's own store does not show owner-only settings.
            try declared.checkAccess(to: key)
            let isElement = ElementPath(key, in: changes.values) != nil
            let keys = isElement || invocation.has(.literal) ? [key] : declared.keys(at: key)
            let stored = keys.filter { isElement || changes.values[$0] != nil }
            guard !stored.isEmpty else { throw target.notFound }
            for key in stored { try invocation.removeValue(at: key, from: &changes, declared) }
        })

    static let rename = Verb(
        name: "rename", scope: .domain,
        operands: [Verb.Operand(name: "OLD-KEY", completion: .key), Verb.Operand(name: "NEW-KEY")],
        options: [.force, .literal, .author, .confirmWithin],
        summary: "Stores a value under another key.",
        details: """
            Either key may lead into an array: list.0. An element that is there already is replaced, and the element that is \
            moved leaves its array.
            """,
        action: { invocation in try await invocation.storeChange() },
        change: { invocation, target, declared, changes in
            let (old, new) = (invocation.operands.first ?? "", invocation.operands.last ?? "")
            let from = try invocation.storedKey(old, declared, changes.values)
            let to = try invocation.storedKey(new, declared, changes.values)
            guard let value = changes.values.value(at: from) else {
                throw CommandFailure(
                    .absent, "Key \(old) does not exist in domain \(target.nameOfDefaults); leaving defaults unchanged")
            }
            if invocation.isTool { try declared.checkAccess(to: from) }
            try invocation.checkSecrets(from: from, to: to, in: changes.values, declared)
            guard from != to else { return }
            try invocation.move(value, from: from, to: to, in: &changes, declared)
        })
}

extension Invocation {
    /// Returns the key of a change.
    fileprivate func changedKey(
        _ declared: DeclaredSettings, _ values: SettingTree
    ) throws(CommandFailure) -> SettingKey {
        guard let text = operands.first else { throw CommandFailure(.usage, "KEY is missing.") }
        return try storedKey(text, declared, values)
    }

    /// Adds the value of the arguments, at their key, or at an index of an array.
    fileprivate func addValue(
        to changes: inout ValueChanges, _ declared: DeclaredSettings, isInserted: Bool
    ) throws {
        let key = try changedKey(declared, changes.values)
        guard !arguments.value.isEmpty else { throw CommandFailure(.usage, "The value for “\(key)” is missing.") }
        let stored = changes.values.value(at: key)
        let isElement = ElementPath(key, in: changes.values) != nil
        if isInserted, !isElement, stored != nil { throw ElementPath.exists(key.description) }
        let new = try value(for: declared.check(at: key), stored: isInserted ? nil : stored)
        try set(isInserted ? .insert(new) : .set(new), new, at: key, in: &changes, declared)
    }

    /// Stores a value at a key, or at an index of an array.
    ///
    /// - Parameter edit: The edit that stores the value if it is within an array.
    private func set(
        _ edit: ElementPath.Edit, _ value: SettingValue, at key: SettingKey, in changes: inout ValueChanges,
        _ declared: DeclaredSettings
    ) throws {
        let (target, whole): (SettingKey, SettingValue)
        if let path = ElementPath(key, in: changes.values) {
            (target, whole) = (path.key, try path.array(after: edit))
        } else if let parent = key.parent, key.name == "0", changes.values.value(at: parent) == nil,
            declared.canBeArray(parent)
        {
            // The first element makes the array.
            (target, whole) = (parent, .array([value]))
        } else {
            (target, whole) = (key, value)
        }
        try check(whole, at: target, declared, in: changes.values)
        changes.set(whole, at: target)
    }

    /// Removes the value at a key, or an element of an array.
    fileprivate func removeValue(
        at key: SettingKey, from changes: inout ValueChanges, _ declared: DeclaredSettings
    ) throws {
        guard let path = ElementPath(key, in: changes.values) else { return changes.set(nil, at: key) }
        let array = try path.array(after: .remove)
        try check(array, at: path.key, declared, in: changes.values)
        changes.set(array, at: path.key)
    }

    /// Moves a value to another key; either may lead into an array.
    fileprivate func move(
        _ value: SettingValue, from old: SettingKey, to new: SettingKey, in changes: inout ValueChanges,
        _ declared: DeclaredSettings
    ) throws {
        let (source, destination) = (ElementPath(old, in: changes.values), ElementPath(new, in: changes.values))
        // The members of a group under names with dots are not in its dictionary, and stay.
        let isSetting = source == nil && !has(.literal) && !declared.isGroup(old)
        guard let source, let destination, source.key == destination.key, !old.isWithin(new) else {
            for key in isSetting ? declared.keys(at: old) : [old] where key == old || changes.values[key] != nil {
                try removeValue(at: key, from: &changes, declared)
            }
            return try set(.set(value), value, at: new, in: &changes, declared)
        }
        guard !new.isWithin(old) else {
            throw CommandFailure(.refused, "“\(new)” is within “\(old)”, which can't be moved into itself.")
        }
        // Both indexes are those from before the change, so the element is removed last.
        var values = changes.values
        values[destination.key] = try destination.array(after: .set(value))
        guard let array = try ElementPath(old, in: values)?.array(after: .remove) else { return }
        try check(array, at: source.key, declared, in: changes.values)
        changes.set(array, at: source.key)
    }

    private func value(for check: SchemaCheck?, stored: SettingValue?) throws -> SettingValue {
        guard has(.json) else {
            return try ValueArguments.value(arguments.value, for: check, stored: stored, isDefaults: isDefaults)
        }
        guard arguments.value.count == 1 else { throw CommandFailure(.usage, "Give one value in JSON.") }
        do {
            return try SettingValue(json: .init(arguments.value[0].utf8))
        } catch {
            throw CommandFailure(.usage, "The value must be JSON; text needs quotation marks: '\"text\"'. \(error)")
        }
    }

    /// Runs `write DOMAIN '{a = 1;}'`.
    fileprivate func replaceAll(of target: CommandTarget, with text: String) async throws {
        let value = has(.json) ? try? SettingValue(json: .init(text.utf8)) : try ValueArguments.propertyList(text)
        guard case .dictionary(let entries)? = value else {
            guard !isDefaults else {
                throw CommandFailure(
                    .refused, "Rep argument is not a dictionary", more: ["Defaults have not been changed."])
            }
            throw CommandFailure(
                .usage, "The value of \(text) is missing, or it is not a dictionary. Nothing has changed.")
        }
        try await replace(target, with: SettingTree(entries), mode: .replace)
    }

    /// Reports which settings have not been removed with the others.
    func reportKept(_ settings: [DeclaredSetting]) {
        guard !settings.isEmpty else { return }
        let (owned, secret) = (settings.filter(\.isOwners), settings.filter { !$0.isOwners })
        func names(_ settings: [DeclaredSetting]) -> String { settings.map(\.key.description).joined(separator: ", ") }
        if !owned.isEmpty { terminal.complain("Not changed, because only the owner may do that: \(names(owned)).") }
        if !secret.isEmpty {
            terminal.complain("Not changed, because a secret is replaced only by its own key: \(names(secret)).")
        }
    }

    func reportIfOverridden(_ key: SettingKey, in store: SettingsStore, _ declared: DeclaredSettings) {
        // Other domains may spell the key in another way.
        let key = declared.declaredKey(of: key)
        guard store.keys.explanationWithoutPlaces(forKey: key).domain != .application,
            // Only locations need the files.
            let answer = store.keys.explanation(forKey: key).answers.first(where: { $0.outcome == .inForce })
        else { return }
        terminal.complain("It is stored, but not in force: \(answer.domain) has another value (\(answer.place)).")
    }
}

extension CommandTarget {
    /// Returns the stored values; none if the domain does not exist.
    func valuesIfAny() async throws -> SettingTree {
        switch self {
        case .program: return try await storedValues()
        case .file(let address): return try address.contents().tree
        }
    }

    fileprivate var notFound: CommandFailure {
        CommandFailure(.absent, "Domain (\(nameOfDefaults)) not found.", more: ["Defaults have not been changed."])
    }
}

extension DeclaredSettings {
    /// Returns whether the value at a key may be an array, as far as it is declared.
    fileprivate func canBeArray(_ key: SettingKey) -> Bool {
        guard !isGroup(key) else { return false }
        return check(at: key).map { $0.types.isEmpty || $0.types.contains("array") } ?? true
    }

    /// Returns the check of the value at a key, which may be a part of a setting.
    fileprivate func check(at key: SettingKey) -> SchemaCheck? {
        guard let (setting, spelling) = declaration(around: key) else { return nil }
        let steps = key.components.dropFirst(spelling.depth)
        return steps.reduce(Optional(setting.check)) { check, _ in check?.element }
    }
}

extension SettingsStore {
    /// Removes everything except owner-only settings.
    fileprivate func removeAll(_ stored: SettingTree, _ declared: DeclaredSettings) throws {
        for key in stored.leaves(within: declared) where declared.setting(at: key)?.isOwners != true {
            try keys.removeValue(storedAt: key)
        }
    }
}

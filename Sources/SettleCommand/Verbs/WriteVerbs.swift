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
        summary: "Stores a value, on stable storage before the command ends.",
        details: """
            The value may have a flag for its type: \(ValueFlag.allCases.map(\.rawValue).joined(separator: ", ")). \
            Without one it is a property list, in XML or in the old style, as in “defaults”, so 5 is a text, unless the \
            program has declared the setting: then it is what the declaration says. With --json it is JSON.

            A value in place of the key is a dictionary of all values, which replaces what is stored. So does a dictionary at \
            the key of a group of settings. Secrets that it does not name stay.
            """,
        takesValue: true,
        action: { invocation in
            let (target, declared) = try invocation.settings()
            let text = invocation.operands.first ?? ""
            guard !invocation.arguments.value.isEmpty else {
                return try await invocation.replaceAll(of: target, with: text)
            }
            try await target.writing { store in
                let stored = try await target.valuesIfAny()
                let key = try invocation.key(text, declared, stored)
                let value = try invocation.value(for: declared[key], stored: stored[key])
                try invocation.check(value, at: key, declared, in: stored)
                try await invocation.commit(to: store, declared) {
                    try store.keys.setValue(value, forKey: key, keepingSecretsOf: declared, in: stored)
                }
                invocation.reportIfOverridden(key, in: store, declared)
            }
        })

    static let delete = Verb(
        name: "delete", aliases: ["remove", "reset", "unset"], scope: .domain, operands: [.key.optional],
        options: [.literal, .author, .confirmWithin],
        summary: "Removes what is stored for a key, or everything that is stored.",
        details: "A declared setting has its default then. Without a key, everything is removed.",
        action: { invocation in
            let (target, declared) = try invocation.settings()
            try await target.writing { store in
                let stored = try await target.valuesIfAny()
                let key = try invocation.operands.first.map { try invocation.key($0, declared, stored) }
                // Check before the search: a program's own store does not show owner-only settings.
                if let key { try declared.checkAccess(to: key) }
                guard !stored.root.isEmpty else { throw target.notFound }
                guard let key else {
                    return try await invocation.commit(to: store, declared) { try store.removeAll(stored, declared) }
                }
                guard stored[key] != nil else { throw target.notFound }
                try await invocation.commit(to: store, declared) { try store.keys.removeValue(forKey: key) }
            }
        })

    static let rename = Verb(
        name: "rename", scope: .domain,
        operands: [Verb.Operand(name: "OLD-KEY", completion: .key), Verb.Operand(name: "NEW-KEY")],
        options: [.force, .literal, .author, .confirmWithin],
        summary: "Stores a value under another key.",
        action: { invocation in
            let (target, declared) = try invocation.settings()
            let (old, new) = (invocation.operands.first ?? "", invocation.operands.last ?? "")
            try await target.writing { store in
                let stored = try await target.valuesIfAny()
                let from = try invocation.key(old, declared, stored)
                let to = try invocation.key(new, declared, stored)
                guard let value = stored[from] else {
                    throw CommandFailure(
                        .absent,
                        "Key \(old) does not exist in domain \(target.nameOfDefaults); leaving defaults unchanged")
                }
                if invocation.isTool { try declared.checkAccess(to: from) }
                try invocation.checkSecrets(from: from, to: to, in: stored, declared)
                var rest = stored
                rest[from] = nil
                try invocation.check(value, at: to, declared, in: rest)
                try await invocation.commit(to: store, declared) {
                    try store.keys.removeValue(forKey: from)
                    try store.keys.setValue(value, forKey: to, keepingSecretsOf: declared, in: rest)
                }
            }
        })
}

extension Invocation {
    fileprivate func value(for setting: DeclaredSetting?, stored: SettingValue?) throws -> SettingValue {
        guard has(.json) else { return try ValueArguments.value(arguments.value, for: setting, stored: stored) }
        guard arguments.value.count == 1 else { throw CommandFailure(.usage, "Give one value in JSON.") }
        do {
            return try SettingValue(json: .init(arguments.value[0].utf8))
        } catch {
            throw CommandFailure(.usage, "The value must be JSON; a text needs quotation marks: '\"text\"'. \(error)")
        }
    }

    /// Runs `write DOMAIN '{a = 1;}'`.
    fileprivate func replaceAll(of target: CommandTarget, with text: String) async throws {
        let value = has(.json) ? try? SettingValue(json: .init(text.utf8)) : try ValueArguments.propertyList(text)
        guard case .dictionary(let entries)? = value else {
            throw CommandFailure(
                .usage, "The value of \(text) is missing, or it is no dictionary. Nothing has changed.")
        }
        try await replace(target, with: SettingTree(entries), mode: .replace)
    }

    func reportIfOverridden(_ key: SettingKey, in store: SettingsStore, _ declared: DeclaredSettings) {
        let explanation = store.keys.explanation(forKey: key)
        guard explanation.domain != .application,
            let answer = explanation.answers.first(where: { $0.outcome == .inForce })
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

extension SettingsStore {
    /// Removes everything except owner-only settings.
    fileprivate func removeAll(_ stored: SettingTree, _ declared: DeclaredSettings) throws {
        for key in stored.leaves(within: declared) where declared[key]?.isOwners != true {
            try keys.removeValue(forKey: key)
        }
    }
}

import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Verbs that show the history and undo transactions.
enum HistoryVerbs {
    private static let limit = Verb.Option(
        names: ["--limit", "-n"], value: "COUNT", help: "How many entries; 20 by default.")
    private static let last = Verb.Option(
        names: ["--last-by"], value: "NAME", help: "The newest transaction of an author.")

    static let history = Verb(
        name: "history", aliases: ["log"], scope: .domain, operands: [.key.optional], options: [.literal, limit],
        summary: "Shows who has changed what, newest first.",
        details: "A program keeps a history only if its configuration enables it.",
        action: { invocation in
            let (target, declared) = try invocation.settings()
            let limit = invocation.arguments[limit].map { Int($0) ?? 0 } ?? 20
            guard limit > 0 else {
                throw CommandFailure(.usage, "The number of entries must be 1 or more.")
            }
            let text = invocation.operands.first
            let entries = try await target.reading { store in
                let keys = try text.map { text in
                    let key = try invocation.key(text, declared, store.keys.effectiveValues)
                    return invocation.has(.literal) ? [key] : declared.keysInHistory(of: key)
                }
                var entries: [HistoryEntry] = []
                for try await entry in store.history.entries(at: keys, limit: limit) {
                    entries.append(entry.hidingSecrets(declared))
                }
                return entries
            }
            guard invocation.format == nil else {
                return try invocation.show(.array(try entries.map { try SettingValueEncoder().encode($0) }))
            }
            for entry in entries { try entry.write(to: invocation.terminal) }
        })

    static let undo = Verb(
        name: "undo", scope: .domain, operands: [Verb.Operand(name: "TOKEN", isOptional: true)],
        options: [last, .force, .author],
        summary: "Undoes a transaction, no matter who made it.",
        details: """
            Keys that have changed since are left alone and named, unless --force is given. To redo, undo the undo. \
            Without a token, the newest transaction is undone.
            """,
        action: { invocation in
            let target = try invocation.target()
            let (given, name) = (try invocation.token(invocation.operands.first), invocation.arguments[last])
            let declared = try target.declared()
            let result = try await invocation.namingSecrets(of: target, declared) { store in
                var undone = name.map(UndoTarget.last) ?? given.map { .token($0) }
                if undone == nil {
                    for try await entry in store.history.entries(limit: 1) { undone = .token(entry.token) }
                }
                guard let undone else { throw CommandFailure(.absent, "There is nothing to undo.") }
                return try await store.history.undo(undone, force: invocation.has(.force), author: invocation.author) {
                    key in
                    if invocation.isTool { try declared.checkAccess(to: key) }
                }
            }
            guard invocation.format == nil else { return try invocation.show(try SettingValueEncoder().encode(result)) }
            for key in result.keys { try invocation.terminal.say("\(key) is as it was before.") }
            for conflict in result.conflicts {
                invocation.terminal.complain("\(conflict); it was left alone. Use --force to put it back.")
            }
            if result.keys.isEmpty { throw CommandFailure(.refused, "Nothing was undone.") }
        })
}

extension Invocation {
    /// Undoes with the store, and adds to the refusal of a secret what can be done instead.
    fileprivate func namingSecrets(
        of target: CommandTarget, _ declared: DeclaredSettings,
        _ body: @Sendable (SettingsStore) async throws -> UndoResult
    ) async throws -> UndoResult {
        do {
            return try await target.writing(body)
        } catch let error as SettingsError where error.code == .notUndoable {
            guard let key = error.key, declared.isSecret(SettingKey(stored: key)) else { throw error }
            let domain = isTool ? " \(target.name)" : ""
            throw CommandFailure(
                .refused, error.description,
                more: [
                    "Store its earlier value yourself with “\(program) write\(domain) \(key) VALUE”, or, so that no "
                        + "list of commands shows it, with “\(program) import\(domain) -” and JSON on standard input. "
                        + "“\(program) history\(domain)” lists the other changes, which you can write in the same way."
                ])
        }
    }
}

extension DeclaredSettings {
    /// Returns the keys under which a key may have been stored, now or before. Without a declaration, a path and a name
    /// with dots may be the same setting.
    fileprivate func keysInHistory(of key: SettingKey) -> [SettingKey] {
        guard declaration(around: key) == nil, !isGroup(key) else { return keys(at: key) }
        let path = key.asPath
        return [key] + ([path] + path.literals).filter { $0 != key }
    }
}

extension HistoryChange {
    func hidingSecrets(_ declared: DeclaredSettings) -> HistoryChange {
        guard let key = SettingKey(self.key) else { return self }
        var change = self
        if declared.isSecret(key) {
            change.isSecret = true
            (change.oldValue, change.newValue) = (nil, nil)
        } else {
            change.oldValue = oldValue.map { declared.hidingSecrets(in: $0, at: key) }
            change.newValue = newValue.map { declared.hidingSecrets(in: $0, at: key) }
        }
        return change
    }
}

extension HistoryEntry {
    fileprivate func hidingSecrets(_ declared: DeclaredSettings) -> HistoryEntry {
        var entry = self
        entry.changes = changes.map { $0.hidingSecrets(declared) }
        return entry
    }

    func write(to terminal: any CommandTerminal) throws(CommandFailure) {
        try terminal.say("\(token)", .yellow)
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
        let undo = undone.map { ", undoes \($0)" } ?? ""
        let reason = reason.map { ", \($0)" } ?? ""
        try terminal.say("  \(time.formatted(style))  \(origin), by \(author)\(undo)\(reason)", .faint)
        if !isKnown { try terminal.say("  The changes are not known.") }
        for change in changes { try terminal.say("  \(change)") }
    }
}

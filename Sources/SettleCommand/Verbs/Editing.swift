import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Verb {
    static let edit = Verb(
        name: "edit", scope: .domain, options: [.force, .author],
        summary: "Opens the stored values in an editor, and stores what was changed.",
        details: """
            The editor is $VISUAL or $EDITOR, else vi. What can't be read or stored can be edited again; nothing of it is \
            stored, and what was edited is kept in a file that is named. What others have changed meanwhile stays, unless the \
            same key was edited: that is told first.
            """,
        action: { invocation in
            guard invocation.terminal.isInteractive else {
                throw CommandFailure(.unavailable, "“edit” needs a terminal; “import” reads a file.")
            }
            let subject = try invocation.subject()
            let declared = try subject.declared()
            try await subject.writing { store in
                try await EditSession(invocation, subject, declared).run(in: store)
            }
        })
}

/// One edit, until its result is stored or given up.
private struct EditSession {
    private let invocation: Invocation
    private let subject: Subject
    private let declared: DeclaredSettings

    init(_ invocation: Invocation, _ subject: Subject, _ declared: DeclaredSettings) {
        (self.invocation, self.subject, self.declared) = (invocation, subject, declared)
    }

    func run(in store: SettingsStore) async throws {
        // Before the values, so that it is not newer than they are.
        var token = store.token
        let original = try await values()
        var current = original
        let folder = FileManager.default.temporaryDirectory.appending(path: "settle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = folder.appending(path: "\(subject.name.replacing("/", with: "_")).json")
        let document = Data(try JSONDocument.write(.dictionary(original.root)))
        try document.write(to: file)
        while true {
            do {
                let changes = try changes(in: try edited(file), from: original)
                if changes.isEmpty {
                    try invocation.terminal.say("Nothing was changed.")
                } else {
                    try await save(changes, in: store, since: token, from: current)
                }
                return try FileManager.default.removeItem(at: folder)
            } catch {
                let failure = CommandFailure(error)
                failure.lines.forEach(invocation.terminal.complain)
                guard try Data(contentsOf: file) != document else {
                    try FileManager.default.removeItem(at: folder)
                    throw CommandFailure(failure.code, "Nothing was stored.")
                }
                guard failure.code != .unavailable, asksToGoOn() else {
                    throw CommandFailure(
                        failure.code, "Nothing was stored. What was edited is in \"\(file.path)\".")
                }
                // What has changed meanwhile has been told.
                (token, current) = (store.token, try await values())
            }
        }
    }

    /// What is shown in the editor.
    private func values() async throws -> SettingTree {
        var values = try await subject.valuesIfAny()
        for setting in declared.all where setting.isSecret || setting.isOwners { values[setting.key] = nil }
        return values
    }

    private func edited(_ file: URL) throws -> SettingTree {
        let environment = ProcessInfo.processInfo.environment
        let editor = ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
        let code = try invocation.terminal.edit(file.path, with: editor)
        guard code == 0 else {
            throw CommandFailure(.unavailable, "“\(editor)” has ended with code \(code).")
        }
        let document = try readDocument(try Data(contentsOf: file), named: file.lastPathComponent)
        guard case .dictionary(let entries) = document.value else {
            throw CommandFailure(.refused, "The settings must be an object in braces.")
        }
        return SettingTree(entries)
    }

    /// What was changed, checked.
    private func changes(
        in edited: SettingTree, from original: SettingTree
    ) throws(CommandFailure) -> [(key: SettingKey, value: SettingValue?)] {
        // As the editor has shown it: JSON has neither dates nor data.
        let shown = (try? JSONDocument.write(.dictionary(original.root))).flatMap { try? JSONDocument.read($0) }
        guard case .dictionary(let root)? = shown else { throw CommandFailure(.refused, "The values are no JSON.") }
        let before = SettingTree(root)
        let keys = Set(before.leaves(within: declared) + edited.leaves(within: declared))
        var changes: [(key: SettingKey, value: SettingValue?)] = []
        for key in keys.sorted() where before[key] != edited[key] {
            guard !key.hasEmptyName else { throw CommandFailure(.refused, "“\(key)” has a part without a name.") }
            let value = edited[key].map { $0.restored(as: original[key], shownAs: before[key]) }
            if let value { try invocation.check(value, at: key, declared, in: edited) }
            changes.append((key, value))
        }
        return changes
    }

    private func save(
        _ changes: [(key: SettingKey, value: SettingValue?)], in store: SettingsStore, since token: ChangeToken?,
        from current: SettingTree
    ) async throws {
        let write = {
            // A file without a past has no place in it, so the values themselves are compared.
            for change in changes where token == nil && store.ownValue(forKey: change.key) != current[change.key] {
                throw CommandFailure(.refused, "“\(change.key)” has been changed meanwhile.")
            }
            // First what goes: a new key may be where a dictionary was.
            for change in changes where change.value == nil { try store.removeValue(forKey: change.key) }
            for change in changes {
                if let value = change.value { try store.setValue(value, forKey: change.key) }
            }
        }
        if let token {
            let keys = changes.map(\.key.description)
            try await store.commit(ifUnchangedSince: token, keys: keys, by: invocation.author, write)
        } else {
            try await store.commit(by: invocation.author, write)
        }
        for (key, value) in changes {
            let shown = value.map { declared.hidingSecrets(in: $0, at: key).line } ?? "nothing"
            try invocation.terminal.say("\(key) = \(shown)")
        }
    }

    private func asksToGoOn() -> Bool {
        let answer = invocation.terminal.readLine(prompt: "Edit again? [Y/n] ")
        return answer.map { !$0.lowercased().hasPrefix("n") } ?? false
    }
}

extension SettingValue {
    /// An edited value with the types that JSON has not, where the stored value had them: dates, data, and numbers with
    /// a fraction.
    ///
    /// - Parameters:
    ///   - stored: What was stored.
    ///   - shown: What the editor has shown of that.
    fileprivate func restored(as stored: SettingValue?, shownAs shown: SettingValue?) -> SettingValue {
        guard let stored else { return self }
        if let shown, self == shown { return stored }
        switch (self, stored) {
        case (.string(let text), .date): return TextReading.date.value(of: text) ?? self
        case (.string(let text), .data): return Data(base64Encoded: text).map { .data($0) } ?? self
        case (.integer(let number), .real): return Double(exactly: number).map { .real($0) } ?? self
        case (.dictionary(let entries), .dictionary(let old)):
            let names: SettingValue.Entries = if case .dictionary(let entries)? = shown { entries } else { [:] }
            return .dictionary(
                .init(
                    uniqueKeysWithValues: entries.map {
                        ($0.key, $0.value.restored(as: old[$0.key], shownAs: names[$0.key]))
                    }))
        case (.array(let elements), .array(let old)):
            let parts: [SettingValue] = if case .array(let parts)? = shown { parts } else { [] }
            // Elements that were moved are what they were. A new one is like the one in its place, or like the last one.
            return .array(
                elements.enumerated().map { index, element in
                    if let place = parts.firstIndex(of: element), place < old.count { return old[place] }
                    return element.restored(as: index < old.count ? old[index] : old.last, shownAs: nil)
                })
        default: return self
        }
    }
}

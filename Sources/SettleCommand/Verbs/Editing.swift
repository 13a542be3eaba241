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
            The editor is $VISUAL or $EDITOR, else vi. What can't be read or breaks a rule can be edited again; nothing of \
            it is stored. What others have changed meanwhile stays, unless the same key was edited: that is refused.
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
        let token = store.token
        var original = try await subject.valuesIfAny()
        for setting in declared.all where setting.isSecret || setting.isOwners { original[setting.key] = nil }
        let folder = FileManager.default.temporaryDirectory.appending(path: "settle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "\(subject.name.replacing("/", with: "_")).json")
        try Data(try JSONDocument.write(.dictionary(original.root))).write(to: file)
        while true {
            do {
                let changes = try changes(in: try edited(file), from: original)
                guard !changes.isEmpty else { return try invocation.terminal.say("Nothing was changed.") }
                return try await save(changes, in: store, since: token)
            } catch let error as CommandFailure where error.code == .refused {
                invocation.terminal.complain("\(error)")
                guard asksToGoOn() else { throw CommandFailure(.refused, "Nothing was stored.") }
            }
        }
    }

    private func edited(_ file: URL) throws -> SettingTree {
        let environment = ProcessInfo.processInfo.environment
        let editor = ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
        let code = try invocation.terminal.edit(file.path, with: editor)
        guard code == 0 else {
            throw CommandFailure(.unavailable, "“\(editor)” has ended with code \(code). Nothing was stored.")
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
            if let value = edited[key] { try invocation.check(value, at: key, declared) }
            changes.append((key, edited[key]))
        }
        return changes
    }

    private func save(
        _ changes: [(key: SettingKey, value: SettingValue?)], in store: SettingsStore, since token: ChangeToken?
    ) async throws {
        let write = {
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
        for change in changes { try invocation.terminal.say("\(change.key) = \(change.value?.line ?? "nothing")") }
    }

    private func asksToGoOn() -> Bool {
        let answer = invocation.terminal.readLine(prompt: "Edit again? [Y/n] ")
        return answer.map { !$0.lowercased().hasPrefix("n") } ?? false
    }
}

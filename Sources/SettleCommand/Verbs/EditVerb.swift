import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Opens the settings in an editor.
enum EditVerb {
    static let edit = Verb(
        name: "edit", scope: .domain, options: [.force, .author, .confirmWithin],
        summary: "Opens the stored values in an editor, and stores the changes.",
        details: """
            The editor is $VISUAL or $EDITOR, else vi. What can't be read or stored can be edited again; nothing of it is \
            stored, and what was edited is kept in a file that is named. What others have changed meanwhile stays, unless the \
            same key was edited, which is reported first.
            """,
        action: { invocation in
            guard invocation.terminal.isInteractive else {
                throw CommandFailure(.unavailable, "“edit” needs a terminal; “import” reads a file.")
            }
            let (target, declared) = try invocation.settings()
            try await target.writing { store in
                try await EditSession(invocation, target, declared).run(in: store)
            }
        })
}

/// One edit, until its result is stored or abandoned.
private struct EditSession {
    private typealias Change = (key: SettingKey, value: SettingValue?)

    private let invocation: Invocation
    private let target: CommandTarget
    private let declared: DeclaredSettings

    init(_ invocation: Invocation, _ target: CommandTarget, _ declared: DeclaredSettings) {
        (self.invocation, self.target, self.declared) = (invocation, target, declared)
    }

    func run(in store: SettingsStore) async throws {
        // Read the token before the values, so that it is not newer than they are.
        var token = store.history.token
        let original = try await values()
        var current = original
        let document = Data(try JSONDocument.write(.dictionary(original.root)))
        let folder = FileManager.default.temporaryDirectory.appending(path: "settle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // A path may be longer than a name.
        let file = folder.appending(path: "\(target.name.suffix(60).replacing("/", with: "_")).json")
        try document.write(to: file)
        var stored: [Change]?
        while stored == nil {
            do {
                let changes = try changes(in: try edited(file), from: original)
                if !changes.isEmpty { try await save(changes, in: store, since: token, from: current) }
                stored = changes
            } catch {
                let failure = CommandFailure(error)
                failure.lines.forEach(invocation.terminal.complain)
                guard let edited = try? Data(contentsOf: file), edited != document else {
                    try? FileManager.default.removeItem(at: folder)
                    throw CommandFailure(failure.code, "Nothing was stored.")
                }
                guard failure.code != .unavailable, asksToGoOn() else {
                    throw CommandFailure(
                        failure.code, "Nothing was stored. Your edits are in “\(file.path)”.")
                }
                // Changes made meanwhile have been reported. The store itself may not know them yet.
                token = (error as? SettingsError)?.conflict?.token ?? store.history.token
                current = try await values()
            }
        }
        try? FileManager.default.removeItem(at: folder)
        try report(stored ?? [])
    }

    private func report(_ changes: [Change]) throws {
        if changes.isEmpty { try invocation.terminal.say("Nothing was changed.") }
        for (key, value) in changes {
            let shown = value.map { declared.hidingSecrets(in: $0, at: key).line } ?? "nothing"
            try invocation.terminal.say("\(key) = \(shown)")
        }
    }

    /// Returns the values that the editor shows.
    private func values() async throws -> SettingTree {
        declared.withoutProtected(try await target.valuesIfAny())
    }

    private func edited(_ file: URL) throws -> SettingTree {
        let environment = ProcessInfo.processInfo.environment
        let editor = ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
        let code = try invocation.terminal.edit(file.path, with: editor)
        guard code == 0 else {
            throw CommandFailure(.unavailable, "“\(editor)” ended with code \(code).")
        }
        let document = try readDocument(try Data(contentsOf: file), named: file.lastPathComponent)
        guard case .dictionary(let entries) = document.value else {
            throw CommandFailure(.refused, "The settings must be an object in braces.")
        }
        return SettingTree(entries)
    }

    /// Returns the checked changes.
    private func changes(
        in edited: SettingTree, from original: SettingTree
    ) throws(CommandFailure) -> [Change] {
        // As the editor showed it: JSON has neither dates nor data.
        let shown = (try? JSONDocument.write(.dictionary(original.root))).flatMap { try? JSONDocument.read($0) }
        guard case .dictionary(let root)? = shown else { throw CommandFailure(.refused, "The values are not JSON.") }
        let before = SettingTree(root)
        let keys = Set(before.leaves(within: declared) + edited.leaves(within: declared))
        var changes: [Change] = []
        for key in keys.sorted() where before[key] != edited[key] {
            guard !key.hasEmptyName else { throw CommandFailure(.refused, "“\(key)” has a part without a name.") }
            let value = edited[key].map { $0.restored(as: original[key], shownAs: before[key]) }
            if let value { try invocation.check(value, at: key, declared, in: edited) }
            changes.append((key, value))
        }
        return changes
    }

    private func save(
        _ changes: [Change], in store: SettingsStore, since token: ChangeToken?,
        from current: SettingTree
    ) async throws {
        let patience = ContinuousClock.now + .seconds(2)
        let write = {
            // A file without a history has no token, and the store may not know an edit by hand yet: compare the values
            // stored now.
            let stored = try target.valuesNow(in: store, at: changes.map(\.key))
            let now = declared.withoutProtected(stored)
            for change in changes where now[change.key] != current[change.key] {
                throw CommandFailure(.refused, "“\(change.key)” has been changed meanwhile.")
            }
            for change in changes where stored[change.key] != store.ownValue(forKey: change.key) {
                if ContinuousClock.now < patience { throw UnknownEdit() }
            }
            // Remove keys first: a new key may replace a dictionary.
            for change in changes where change.value == nil { try store.keys.removeValue(storedAt: change.key) }
            for change in changes where change.value != nil {
                for part in declared.parts(of: change.value, at: change.key, replacing: current) {
                    try store.keys.replaceValue(with: part.value, forKey: part.key)
                }
            }
        }
        while true {
            do {
                let condition = token.map { (token: $0, keys: changes.map(\.key)) }
                return try await invocation.commit(to: store, declared, ifUnchangedSince: condition, write)
            } catch is UnknownEdit {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    private func asksToGoOn() -> Bool {
        let answer = invocation.terminal.readLine(prompt: "Edit again? [Y/n] ")
        return answer.map { !$0.lowercased().hasPrefix("n") } ?? false
    }
}

/// The file has an edit by hand that the store has not read yet. It would count as later than the values written now,
/// and replace them.
private struct UnknownEdit: Error {}

extension CommandTarget {
    /// Returns the stored values of some keys. Call it in a transaction.
    fileprivate func valuesNow(in store: SettingsStore, at keys: [SettingKey]) throws -> SettingTree {
        if case .file(let address) = self { return try address.contents().tree }
        var tree = SettingTree()
        for key in keys { tree[key] = store.ownValue(forKey: key) }
        return tree
    }
}

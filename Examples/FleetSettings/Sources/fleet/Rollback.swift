import ArgumentParser
import Settle
import SettleEtcd

/// What has to be written so that some values become others.
struct ValueChanges {
    struct Change: Equatable, CustomStringConvertible {
        var key: SettingKey
        var old: SettingValue?
        var new: SettingValue?

        var description: String { "\(key): \(old?.line ?? "nothing") → \(new?.line ?? "nothing")" }
    }

    /// In the order of the keys.
    private(set) var list: [Change] = []

    init(from old: SettingTree, to new: SettingTree) {
        compare(old.root, new.root, below: nil)
        list.sort { $0.key < $1.key }
    }

    private mutating func compare(
        _ old: SettingValue.Entries, _ new: SettingValue.Entries, below outer: SettingKey?
    ) {
        for name in Set(old.keys).union(new.keys) where old[name] != new[name] {
            guard let key = outer?.appending(component: name) ?? SettingKey(components: [name]) else { continue }
            switch (old[name], new[name]) {
            case (.dictionary(let old)?, .dictionary(let new)?): compare(old, new, below: key)
            // Each setting has a key of its own in the cluster.
            case (nil, .dictionary(let new)?) where !new.isEmpty: compare([:], new, below: key)
            case (let old, let new): list.append(Change(key: key, old: old, new: new))
            }
        }
    }

    /// Writes them. In a transaction.
    func write(to store: SettingsStore) throws {
        for change in list where change.new == nil { try store.keys.removeValue(forKey: change.key) }
        for change in list {
            if let new = change.new { try store.keys.setValue(new, forKey: change.key) }
        }
    }
}

extension Fleet {
    struct Rollback: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Brings all values under the prefix back to what they were, in one commit.",
            discussion: """
                Prints what changes by it first. If anybody changes a value meanwhile, nothing is written. The commit is in the \
                history, so `fleet undo` takes it back.
                """)
        @OptionGroup var cluster: Cluster
        @Option(help: "Who makes the change.") var author: String?
        @Flag(help: "Only print what would change.") var dryRun = false
        @Argument(help: "The token of the last transaction that stays, as `fleet history` prints it.")
        var token: ChangeToken

        func run() async throws {
            let (author, dryRun, token) = (author, dryRun, token)
            try await cluster.open(start: .withClusterOnly, usesLocalCopy: false) { store, _ in
                let then = try await store.history.values(at: token)
                guard let end = store.history.token else { return }
                let changes = ValueChanges(from: try await store.history.values(at: end), to: then)
                guard !changes.list.isEmpty else { return Terminal.say("All values are as they were at \(token).") }
                for change in changes.list { Terminal.say("\(change)") }
                guard !dryRun else { return }
                try await store.commit(ifUnchangedSince: end, author: author) { try changes.write(to: store) }
                Terminal.say(store.history.token.map { "Rolled back at \($0)." } ?? "Rolled back.")
            }
        }
    }
}

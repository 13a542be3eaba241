import ArgumentParser
import Settle
import SettleEtcd

extension Fleet {
    struct Rollback: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Restores all values under the prefix as they were after a transaction, in one commit.",
            discussion: """
                Prints the resulting changes first. If a value changes meanwhile, nothing is written. The commit is in the \
                history, so `fleet undo` takes it back.
                """)
        @OptionGroup var cluster: Cluster
        @Option(help: "The author of the change.") var author: String?
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

public import ArgumentParser
public import Settle
import SettleEtcd

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ChangeToken: @retroactive ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension HistoryEntry {
    /// When, who and where in the history, then each change.
    var lines: [String] {
        // etcd notes no times: another tool's change has that of what came before it, if that is known.
        let isTimed = origin != .external || time.timeIntervalSinceReferenceDate != 0
        var parts = [isTimed ? time.formatted(.iso8601) : "at an unknown time"]
        parts.append(origin == .external ? (isTimed ? "or later, by another tool" : "by another tool") : "by \(author)")
        if let undone { parts.append("undoes \(undone)") }
        if let reason { parts.append(reason) }
        return ["\(token)  \(parts.joined(separator: ", "))"] + changes.map { "    \($0)" }
    }
}

extension HistoryEntries {
    /// The newest transaction that is not an undo and was not undone.
    func newestToUndo() async throws -> ChangeToken? {
        var undone: Set<ChangeToken> = []
        for try await entry in self where !entry.changes.isEmpty && !undone.contains(entry.token) {
            guard let earlier = entry.undone else { return entry.token }
            undone.insert(earlier)
        }
        return nil
    }
}

extension Fleet {
    struct History: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints who changed what and when, newest first.",
            discussion: """
                The history begins at etcd's last compaction, and has the changes of all programs and tools. Anyone who may read \
                the prefix can read its values, so secrets are printed, too.
                """)
        @OptionGroup var cluster: Cluster
        @Option(help: "The maximum number of transactions to print.") var limit = 20
        @Argument(help: "Print only those of this key, and of keys within it.") var key: String?

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
            guard key.map({ SettingKey($0) != nil }) ?? true else {
                throw ValidationError("“\(key ?? "")” is not a key of a setting.")
            }
        }

        func run() async throws {
            let (key, limit) = (key.flatMap { SettingKey($0) }, limit)
            try await cluster.open(start: .withClusterOnly, usesLocalCopy: false) { store, _ in
                for try await entry in store.history.entries(of: key, limit: limit) {
                    for line in entry.lines { Terminal.say(line) }
                }
            }
        }
    }

    struct Undo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Undoes a transaction, in one commit.",
            discussion: """
                Without a token: the newest one that is not an undo and was not undone. Keys that have changed since are left \
                as they are and named, and the program ends with 1. To redo, undo the undo.
                """)
        @OptionGroup var cluster: Cluster
        @Option(help: "The author of the change.") var author: String?
        @Flag(help: "Also restore keys that have changed since.") var force = false
        @Argument(help: "The token of the transaction, as `fleet history` prints it.") var token: ChangeToken?

        func run() async throws {
            let (author, force, token) = (author, force, token)
            try await cluster.open(start: .withClusterOnly, usesLocalCopy: false) { store, _ in
                let newest = token == nil ? try await store.history.entries().newestToUndo() : nil
                guard let token = token ?? newest else {
                    Terminal.complain("fleet: The history has nothing to undo.")
                    throw ExitCode.failure
                }
                let result = try await store.history.undo(token, force: force, author: author)
                if !result.keys.isEmpty {
                    let token = result.token.map { " at \($0)" } ?? ""
                    Terminal.say("Restored\(token): \(result.keys.joined(separator: ", ")).")
                }
                for conflict in result.conflicts {
                    Terminal.complain("fleet: Not restored, because it has changed since: \(conflict).")
                }
                guard result.conflicts.isEmpty else { throw ExitCode.failure }
                if result.keys.isEmpty { Terminal.say("There was nothing to restore.") }
            }
        }
    }
}

import ArgumentParser
import Settle
import SettleEtcd

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingValue {
    /// JSON on one line; what is no JSON is a text.
    init(argument: String) {
        self = (try? SettingValue(json: Data(argument.utf8))) ?? .string(argument)
    }

    /// JSON on one line.
    var line: String {
        (try? json()).map { String(decoding: $0, as: UTF8.self) } ?? "\(self)"
    }
}

extension Fleet {
    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints a value as JSON, or all of them.")
        @OptionGroup var cluster: Cluster
        @Argument(help: "The key, such as limits.requests.") var key: String?

        func run() async throws {
            let key = key
            try await cluster.open { store, _ in
                if let key {
                    guard let value = store.keys[key] else {
                        Terminal.complain("fleet: Nothing is stored at “\(key)”.")
                        throw ExitCode.failure
                    }
                    Terminal.say(value.line)
                } else {
                    Terminal.say(String(decoding: try await store.file.export(), as: UTF8.self))
                }
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stores values in one transaction.",
            discussion: """
                Returns when a majority of the cluster has them. A value is JSON, or else a text. With --wait, it returns when \
                they are in force on every machine that reports, or fails and names those on which they are not.
                """)
        @OptionGroup var cluster: Cluster
        @Option(help: "Who makes the change.") var author: String?
        @Option(help: "How long to wait until it is in force on every machine that reports, such as 30s.")
        var wait: Seconds?
        @Argument(help: "KEY=VALUE, or KEY= to remove what is stored.") var assignments: [String]

        func validate() throws {
            for assignment in assignments where !assignment.contains("=") {
                throw ValidationError("“\(assignment)” is no KEY=VALUE.")
            }
        }

        func run() async throws {
            let values = assignments.map { assignment in
                let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (key: String(parts[0]), value: String(parts[1]))
            }
            try await cluster.open { store, storage in
                try await store.commit(author: author) {
                    for (key, value) in values {
                        if value.isEmpty {
                            try store.keys.removeValue(forKey: key)
                        } else {
                            try store.keys.setValue(SettingValue(argument: value), forKey: key)
                        }
                    }
                }
                let token = store.history.token
                Terminal.say(token.map { "Stored at \($0)." } ?? "Stored.")
                guard let wait, let token else { return }
                let machines = try await Machines.wait(for: token, in: storage, atMost: wait.duration)
                for line in machines.lines { Terminal.say(line) }
                if !machines.isInForceEverywhere { throw ExitCode.failure }
            }
        }
    }

    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints each change as it happens.",
            discussion: "Each line begins with a token, after which another run resumes, on any machine.")
        @OptionGroup var cluster: Cluster
        @Option(help: "The token to resume after. Without one: changes from now on.") var after: ChangeToken?
        @Option(help: "End after so many changes.") var count: Int?

        func run() async throws {
            let (after, count) = (after, count)
            try await cluster.open { store, _ in
                var left = count ?? .max
                for await change in store.history.changes(after: after ?? store.history.token) where left > 0 {
                    let token = change.token.map { "\($0)" } ?? "-"
                    let author = change.author.map { " by \($0)" } ?? ""
                    if let snapshot = change.snapshot {
                        Terminal.say("\(token) everything\(author): \(SettingValue.dictionary(snapshot.root).line)")
                    }
                    for mutation in change.mutations {
                        let new = mutation.newValue as? SettingValue
                        Terminal.say("\(token) \(mutation.key)\(author): \(new?.line ?? "removed")")
                    }
                    left -= 1
                    if left == 0 { break }
                }
            }
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Stores the values of a file in one transaction.")
        @OptionGroup var cluster: Cluster
        @Option(help: "Who makes the change.") var author: String?
        @Argument(help: "A settings file, as JSON or a property list.") var file: String

        func run() async throws {
            let data = try Data(contentsOf: URL(filePath: file))
            try await cluster.open { store, _ in
                try await store.commit(author: author) { try store.file.import(data) }
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints all values as a settings file.")
        @OptionGroup var cluster: Cluster

        func run() async throws {
            try await cluster.open { store, _ in
                Terminal.say(String(decoding: try await store.file.export(), as: UTF8.self))
            }
        }
    }
}

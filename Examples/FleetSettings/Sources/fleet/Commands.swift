import ArgumentParser
import Settle
import SettleEtcd

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingValue {
    /// JSON on one line; anything else is text.
    init(argument: String) {
        self = (try? SettingValue(json: Data(argument.utf8))) ?? .string(argument)
    }

    /// JSON on one line, with escapes in place of control characters.
    var line: String {
        (try? json()).map { String(decoding: $0, as: UTF8.self).withEscapedControls } ?? "\(self)"
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
                    Terminal.show(json: String(decoding: try await store.file.export(), as: UTF8.self))
                }
            }
        }
    }

    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints each change as it happens.",
            discussion: "Each line begins with a token, after which another run resumes, on any machine.")
        @OptionGroup var cluster: Cluster
        @Option(help: "The token to resume after. Without one: changes from now on.") var after: ChangeToken?
        @Option(help: "End after this many changes.") var count: Int?

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

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints all values as a settings file.")
        @OptionGroup var cluster: Cluster

        func run() async throws {
            try await cluster.open { store, _ in
                Terminal.show(json: String(decoding: try await store.file.export(), as: UTF8.self))
            }
        }
    }
}

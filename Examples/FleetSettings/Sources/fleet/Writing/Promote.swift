import ArgumentParser
import Settle
import SettleEtcd

extension Fleet {
    struct Promote: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes the settings of a group those of the fleet, in one commit.",
            discussion: """
                Prints the changes first, and checks them as `fleet set` does. Then the group's own values are removed, so that \
                it follows the fleet again. They stay if somebody has changed them meanwhile. The entries of a dictionary are \
                set one by one, so the fleet keeps its others.
                """)
        @OptionGroup var cluster: Cluster
        @OptionGroup var options: WriteOptions
        @Argument(help: "The name of the group.") var name: String

        func validate() throws {
            guard !cluster.isLayer else { throw ValidationError("--host and --group have no effect here.") }
        }

        func run() async throws {
            var source = cluster
            (source.group, source.localCopy) = (name, nil)
            try await source.open(start: .withClusterOnly) { group, _ in
                // First, so that what is stored after it is not removed.
                let token = group.history.token
                let values = ValueChanges(from: SettingTree(), to: group.keys.effectiveValues).list
                guard let token, !values.isEmpty else {
                    Terminal.complain("fleet: The group “\(name)” has no settings of its own.")
                    throw ExitCode.failure
                }
                try await cluster.open { store, storage in
                    let assignments = values.map { Assignment(key: $0.key, value: $0.new) }
                    guard try await options.write(assignments, to: store, storage) else { return }
                    Terminal.say(store.history.token.map { "Stored at \($0)." } ?? "Stored.")
                    try await group.commit(ifUnchangedSince: token, author: options.author) {
                        for value in values { try group.keys.removeValue(forKey: value.key) }
                    }
                }
            }
        }
    }
}

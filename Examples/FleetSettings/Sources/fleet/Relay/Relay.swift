import ArgumentParser
import Foundation
import Settle
import SettleEtcd

extension Fleet {
    struct Relay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Keeps a file equal to the cluster, for all programs on this machine.",
            discussion: """
                One process follows the cluster; the programs open the file, and follow its changes. Prints “Ready” \
                once the file has what the cluster has. While the cluster is away, the file keeps the last known values, \
                also across restarts, and standard error says so.

                The file belongs to the relay: values that another program writes to it are reverted, and reported on \
                standard error. Write with “fleet set”, or with a store that is opened on the cluster.

                A store opens the file only as the relay's user, because its journal is 600. With --mode 644 programs of \
                other users can read the JSON, which then has each change as soon as the journal has it. They need access \
                to the folder, too: one that the relay makes is 700.
                """)
        @OptionGroup var cluster: Cluster
        @Option(help: "The file, which is created if it is missing.") var file: String
        @Option(help: "The file's mode in octal, such as 644. By default a new file is 600; another keeps its mode.")
        var mode: FileMode?
        @Flag(help: "Start even if the cluster has no values under the prefix. Those in the file are removed.")
        var allowEmpty = false

        func run() async throws {
            let end = Signals.end()
            let file = URL(filePath: file)
            var delay = 1.0
            while true {
                do {
                    return try await cluster.open(start: .withClusterOnly) { store, _ in
                        try await relay(store, to: file, until: end)
                    }
                } catch let error as SettingsError where (error.underlying as? StorageError)?.code == .unavailable {
                    // Half of it is random, so that the machines of a fleet do not all come back in one moment.
                    let pause = delay / 2 + delay / 2 * .random(in: 0...1)
                    Terminal.complain(
                        "fleet: \(error) The file stays as it is; the next try is in \(Int(pause.rounded(.up))) s.")
                    delay = min(30, 2 * delay)
                    if await end.hasCome(within: .seconds(pause)) { return }
                }
            }
        }

        private func relay(_ store: SettingsStore, to file: URL, until end: Signals) async throws {
            let copy = try await SettingsStore.open(at: file)
            if !allowEmpty, try await Self.isEmpty(store), try await !Self.isEmpty(copy) {
                Terminal.complain(
                    "fleet: “\(file.path)” has values, and the cluster has none under “\(cluster.prefix)”, so the file stays as "
                        + "it is. Check the prefix; with --allow-empty the file's values are removed.")
                throw ExitCode.failure
            }
            try await Self.relay(store, to: copy, at: file, mode, until: end)
        }

        private static func isEmpty(_ store: SettingsStore) async throws -> Bool {
            let values = try JSONSerialization.jsonObject(with: try await store.file.export())
            return (values as? [String: Any])?.isEmpty ?? false
        }

        private static func relay(
            _ cluster: SettingsStore, to copy: SettingsStore, at file: URL, _ mode: FileMode?, until end: Signals
        ) async throws {
            let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            // Read before the values: then a race can only cause a needless export, never a missed change.
            let (token, copyToken) = (cluster.history.token, copy.history.token)
            let watches = [
                Task { for await _ in cluster.history.changes(after: token) { wake.yield() } },
                Task {
                    for await change in copy.history.changes(after: copyToken) where change.origin == .external {
                        complain(change, file)
                        wake.yield()
                    }
                },
                Task { for await issue in copy.issues { Terminal.complain("fleet: \(issue)") } },
                Task {
                    await end.come()
                    wake.finish()
                },
            ]
            defer { for watch in watches { watch.cancel() } }
            try await update(copy, at: file, mode, to: cluster)
            try await copy.flush()
            Terminal.say(
                "Ready: “\(file.path)” has what the cluster has\(cluster.history.token.map { " at \($0)" } ?? "").")
            for await _ in wakes {
                do {
                    try await update(copy, at: file, mode, to: cluster)
                } catch {
                    Terminal.complain("fleet: “\(file.path)” is behind the cluster: \(error)")
                }
            }
            try await copy.close()
        }

        /// Writes what differs, in one transaction.
        private static func update(
            _ copy: SettingsStore, at file: URL, _ mode: FileMode?, to cluster: SettingsStore
        ) async throws {
            try copy.file.import(try await cluster.file.export(), .replace, author: "cluster")
            guard let mode else { return }
            // Other users can't read the journal, only the file.
            try await copy.file.flush()
            try mode.set(at: file)
        }

        private static func complain(_ change: Change, _ file: URL) {
            let keys = change.mutations.map { "“\($0.key)”" }.joined(separator: ", ")
            Terminal.complain(
                "fleet: Another program has written \(keys) to “\(file.path)”, which is reverted to the cluster's values. "
                    + "Write with “fleet set”.")
        }
    }
}

import ArgumentParser
import Foundation
import Settle
import SettleEtcd

extension Fleet {
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reports whether the cluster answers, what waits to be sent, and what each machine has in force.",
            discussion: """
                Writes that wait for the cluster are in the local copy of the service that made them: name it with --local-copy. \
                It is only read, so the service may be running; nothing in it is sent or given up.
                """)
        @OptionGroup var cluster: Cluster
        @Flag(help: "Follow what each machine has in force until Ctrl-C, as a live table or a line per change.")
        var watch = false

        func run() async throws {
            if watch {
                return try await cluster.openWithFleet(start: .withClusterOnly, usesLocalCopy: false) {
                    try await StatusWatch(store: $0, storage: $2, layer: cluster.layer).run()
                }
            }
            // First: it can be read without the cluster.
            try await tellLocalCopy()
            try await cluster.openWithFleet(start: .withClusterOnly, usesLocalCopy: false) { store, storage, fleet in
                switch store.file.loadOutcome {
                case .absent:
                    Terminal.say("Nothing has been stored under “\(cluster.layer ?? cluster.prefix)” yet.")
                case .intact: Terminal.say("The cluster answers.")
                case .recovered(let description, _): Terminal.say(description)
                case .removed(let description): Terminal.say(description)
                }
                if let token = store.history.token { Terminal.say("The newest token is \(token).") }
                for (name, reason) in await storage.unusableKeys().sorted(by: { $0.key < $1.key }) {
                    Terminal.say("“\(name)” is left as it is: \(reason).")
                }
                guard let token = store.history.token else { return }
                let machines = Machines(all: try await fleet.machines(), token: token, under: cluster.layer)
                for line in machines.lines { Terminal.say(line) }
            }
        }

        private func tellLocalCopy() async throws {
            guard let path = cluster.localCopy else {
                Terminal.say(
                    "Writes that wait on this machine are unknown: name the local copy of their service with --local-copy."
                )
                return
            }
            let copy = try await LocalCopyReading.read(URL(filePath: path))
            Terminal.say(
                copy.pending.isEmpty
                    ? "No write waits in “\(path)”." : "\(copy.pending.count) transactions wait in “\(path)”.")
            for keys in copy.pending { Terminal.say("Waits for the cluster: \(keys).") }
            for keys in copy.lost { Terminal.say("Given up for newer values of the cluster: \(keys).") }
        }
    }
}

/// The writes that wait in a service's local copy. They are read from a copy of the file and its journal, because a
/// store that is opened on the originals would take them for its own.
private struct LocalCopyReading {
    /// The keys of each transaction.
    var pending: [String]
    var lost: [String]

    static func read(_ file: URL) async throws -> LocalCopyReading {
        guard
            FileManager.default.fileExists(atPath: file.path)
                || FileManager.default.fileExists(atPath: journal(of: file).path)
        else { throw ValidationError("“\(file.path)” is not a local copy: there is no such file.") }
        let folder = FileManager.default.temporaryDirectory.appending(path: "fleet-status-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let copy = folder.appending(path: file.lastPathComponent)
        // The journal first: what goes from it to the file meanwhile is then in both.
        for (from, to) in [(journal(of: file), journal(of: copy)), (file, copy)]
        where FileManager.default.fileExists(atPath: from.path) {
            try FileManager.default.copyItem(at: from, to: to)
        }
        let store = try await SettingsStore.open(at: copy)
        let reading = LocalCopyReading(
            pending: keys(store.keys["pending"]), lost: keys(store.keys["lost"]))
        try await store.close()
        return reading
    }

    private static func journal(of file: URL) -> URL {
        FileStorage.stateFolder(of: file).appending(path: ".\(file.lastPathComponent).journal")
    }

    private static func keys(_ value: SettingValue?) -> [String] {
        guard case .array(let transactions)? = value else { return [] }
        return transactions.map { transaction in
            guard case .dictionary(let entries) = transaction else { return "" }
            var names: [String] = []
            if case .dictionary(let set)? = entries["set"] { names += set.keys }
            if case .array(let removed)? = entries["removed"] {
                names += removed.compactMap { if case .string(let name) = $0 { name } else { nil } }
            }
            return names.sorted().joined(separator: ", ")
        }
    }
}

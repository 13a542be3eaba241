import ArgumentParser
import Foundation
import Settle
import SettleEtcd

extension Fleet {
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says whether the cluster is there, what waits, and what is in force where.",
            discussion: """
                What waits is in the local copy of the service that has written it: name that with --local-copy. It is only \
                read, so the service may run; nothing in it is sent or given up.
                """)
        @OptionGroup var cluster: Cluster
        @Flag(help: "Show what is in force where until Ctrl-C, as a table that lives, or a line for each change.")
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
                    "What waits on this machine is not known: --local-copy names the file of the service that asks.")
                return
            }
            let copy = try await LocalCopyReading.read(URL(filePath: path))
            Terminal.say(
                copy.pending.isEmpty
                    ? "Nothing waits in “\(path)”." : "\(copy.pending.count) transactions wait in “\(path)”.")
            for keys in copy.pending { Terminal.say("Waits for the cluster: \(keys).") }
            for keys in copy.lost { Terminal.say("Given up for newer values of the cluster: \(keys).") }
        }
    }
}

/// What waits in a service's local copy. It is read from a copy of the file and its journal, because a store that is
/// opened on them would take what waits for its own.
private struct LocalCopyReading {
    /// The keys of each transaction.
    var pending: [String]
    var lost: [String]

    static func read(_ file: URL) async throws -> LocalCopyReading {
        guard
            FileManager.default.fileExists(atPath: file.path)
                || FileManager.default.fileExists(atPath: journal(of: file).path)
        else { throw ValidationError("“\(file.path)” is no local copy: there is no such file.") }
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

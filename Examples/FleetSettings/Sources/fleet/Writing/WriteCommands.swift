import ArgumentParser
import Settle
import SettleEtcd

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Fleet {
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stores values in one transaction.",
            discussion: """
                Prints the changes first, and checks them against the schema that is stored beside the values, if there is one; \
                with --no-check it does not. Returns when a majority of the cluster has the values. A value is JSON, or else a \
                text. With --wait, it returns when they are in force on every machine that reports, or fails and names those on \
                which they are not. With --host or --group, machines that don't search these settings don't count.
                """)
        @OptionGroup var cluster: Cluster
        @OptionGroup var options: WriteOptions
        @Option(help: "How long to wait until it is in force on every machine that reports, such as 30s.")
        var wait: Seconds?
        @Argument(help: "KEY=VALUE, or KEY= to remove what is stored.") var assignments: [String]

        func validate() throws {
            for assignment in assignments where Assignment(assignment) == nil {
                throw ValidationError("“\(assignment)” is not KEY=VALUE.")
            }
        }

        func run() async throws {
            let assignments = assignments.compactMap { Assignment($0) }
            try await cluster.openToWrite { store, storage in
                guard try await options.write(assignments, to: store, storage) else { return }
                let token = store.history.token
                Terminal.say(token.map { "Stored at \($0)." } ?? "Stored.")
                guard let wait, let token else { return }
                let machines = try await Machines.wait(
                    for: token, under: cluster.layer, in: storage, atMost: wait.duration)
                for line in machines.lines { Terminal.say(line) }
                if !machines.isInForceEverywhere { throw ExitCode.failure }
            }
        }
    }

    struct Unset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes stored values in one transaction, so that the defaults are in force.",
            discussion: "Prints the changes first. A key removes everything within it, too.")
        @OptionGroup var cluster: Cluster
        @OptionGroup var options: WriteOptions
        @Argument(help: "The keys, such as limits.requests.") var keys: [String]

        func validate() throws {
            for key in keys where SettingKey(key) == nil {
                throw ValidationError("“\(key)” is not a key of a setting.")
            }
        }

        func run() async throws {
            let keys = keys.compactMap { SettingKey($0) }
            try await cluster.openToWrite { store, storage in
                for key in keys where store.keys[key] == nil {
                    Terminal.complain("fleet: Nothing is stored at “\(key)”.")
                    throw ExitCode.failure
                }
                guard try await options.write(keys.map { Assignment(key: $0, value: nil) }, to: store, storage) else {
                    return
                }
                Terminal.say(store.history.token.map { "Stored at \($0)." } ?? "Stored.")
            }
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stores the values of a file in one transaction.",
            discussion: "Prints the changes first, and checks them as `fleet set` does.")
        @OptionGroup var cluster: Cluster
        @OptionGroup var options: WriteOptions
        @Argument(help: "A settings file, as JSON or a property list.") var file: String

        func run() async throws {
            let data = try Data(contentsOf: URL(filePath: file))
            // Values over which the file is tried out.
            let trial = try await SettingsStore.open(storage: InMemoryStorage())
            try await cluster.openToWrite { store, storage in
                let isStored = try await options.write(to: store, storage, keys: nil) { values in
                    try trial.file.import(values, .replace)
                    try trial.file.import(data)
                    return trial.keys.effectiveValues
                } _: {
                    try store.file.import(data)
                }
                if isStored { Terminal.say(store.history.token.map { "Stored at \($0)." } ?? "Stored.") }
            }
            try await trial.close()
        }
    }
}

extension WriteOptions {
    func write(
        _ assignments: [Assignment], to store: SettingsStore, _ storage: EtcdStorage
    ) async throws -> Bool {
        try await write(to: store, storage, keys: assignments.map(\.key)) { values in
            assignments.reduce(into: values) { $0[$1.key] = $1.value }
        } _: {
            for assignment in assignments {
                if let value = assignment.value {
                    try store.keys.setValue(value, forKey: assignment.key)
                } else {
                    try store.keys.removeValue(forKey: assignment.key)
                }
            }
        }
    }
}

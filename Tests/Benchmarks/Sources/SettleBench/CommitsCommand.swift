import ArgumentParser
import Foundation
import Settle

/// The hidden command of the process whose system calls are counted: commits of one key, one after the other.
struct CommitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "commits", shouldDisplay: false)

    /// The task that commits.
    enum Caller: String, ExpressibleByArgument {
        case detached, immediate, actor
        case mainActor = "main-actor"
    }

    @Argument var count: Int
    @Option var from = Caller.detached
    /// Writes and flushes instead.
    @Flag var flush = false
    /// Writes instead, and waits after each write until a task of another process has the value.
    @Flag var follow = false

    func run() async throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        // No checkpoint before the last commit, however slow the counting makes it.
        let configuration = SettingsStore.Configuration(
            savePolicy: .debounced(quiet: .seconds(600), atMost: .seconds(600)))
        let file = folder.appending(path: "settings.json")
        let store = try await SettingsStore.open(at: file, configuration: configuration)
        let settings = try await store.group(BenchSettings.self)
        if follow {
            // Creates the journal now, so that the follower does not have to find it first.
            try await settings.commit { settings.count = 2 }
            try await tryOnOwnThread { try write(settings, followedBy: ChildProcess(.follower, file)) }
            return try await store.close()
        }
        let (count, flush) = (count, flush)
        let save: @Sendable () async throws -> Void = {
            for _ in 0..<count {
                if flush {
                    settings.count += 1
                    try await store.flush()
                } else {
                    try await settings.commit { settings.count += 1 }
                }
            }
        }
        switch from {
        case .detached: try await Task.detached { try await save() }.value
        case .immediate:
            guard #available(macOS 26, *) else { throw ValidationError("This system has no immediate tasks.") }
            try await Task.immediate { try await save() }.value
        case .actor: try await Committer().run(save)
        case .mainActor: try await Self.runOnMainActor(save)
        }
        try await store.close()
    }

    private func write(_ settings: BenchSettings, followedBy follower: ChildProcess) throws {
        for _ in 0..<count {
            // Longer than a store's pause after an append. All threads of this process sleep then, as those of the
            // other one do.
            usleep(5_000)
            Stillness.wait()
            settings.count += 1
            guard follower.receive() != nil else { throw ValidationError("A change did not arrive.") }
        }
    }

    @MainActor
    private static func runOnMainActor(_ save: @Sendable () async throws -> Void) async throws { try await save() }

    private actor Committer {
        func run(_ save: @Sendable () async throws -> Void) async throws { try await save() }
    }
}

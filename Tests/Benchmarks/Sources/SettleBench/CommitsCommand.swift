import ArgumentParser
import Foundation
import Settle

/// The hidden command of the process whose system calls are counted: commits of one key, one after the other.
struct CommitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "commits", shouldDisplay: false)

    @Argument var count: Int
    @Flag var onMainActor = false

    func run() async throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        // No checkpoint before the last commit, however slow the counting makes it.
        let configuration = SettingsStore.Configuration(
            savePolicy: .debounced(quiet: .seconds(600), atMost: .seconds(600)))
        let store = try await SettingsStore.open(
            at: folder.appending(path: "settings.json"), configuration: configuration)
        let settings = try await store.group(BenchSettings.self)
        if onMainActor {
            try await Self.commit(settings, count: count)
        } else {
            for _ in 0..<count { try await settings.commit { settings.count += 1 } }
        }
        try await store.close()
    }

    @MainActor
    private static func commit(_ settings: BenchSettings, count: Int) async throws {
        for _ in 0..<count { try await settings.commit { settings.count += 1 } }
    }
}

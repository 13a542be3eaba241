import ArgumentParser
import Foundation

/// The hidden command of the process whose store is given many keys, groups or followers.
struct GrowthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "growth", shouldDisplay: false)

    @Argument var load: GrowthLoad
    @Argument var count: Int
    @Argument var repetitions: Int
    @Argument var seconds: Double

    func run() async throws {
        // Starts the threads.
        _ = try await load.run(count: 100, seconds: seconds)
        var outcomes: [GrowthLoad.Outcome] = []
        for _ in 0..<repetitions { outcomes.append(try await load.run(count: count, seconds: seconds)) }
        let time = quantile(0.5, of: outcomes.map(\.nanosecondsPerItem))
        print("\(outcomes.map(\.count).min() ?? 0) \(time)")
    }
}

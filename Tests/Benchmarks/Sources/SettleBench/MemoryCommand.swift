import ArgumentParser
import Foundation

/// The hidden command of the process whose memory is measured.
struct MemoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "memory", shouldDisplay: false)

    @Argument var load: MemoryLoad
    @Argument var file: String

    func run() async throws {
        print(try await load.bytesPerItem(URL(filePath: file)))
    }
}

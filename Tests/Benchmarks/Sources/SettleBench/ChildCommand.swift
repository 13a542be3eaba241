import ArgumentParser
import Foundation

/// The hidden command of a process that plays a role beside the measuring one.
struct ChildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "child", shouldDisplay: false)

    @Argument var role: ChildRole
    @Argument var file: String

    func run() async throws {
        try await role.play(URL(filePath: file))
    }
}

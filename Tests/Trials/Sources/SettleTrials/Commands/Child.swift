import ArgumentParser

/// The hidden command of the processes that are put through the trials.
struct Child: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "child", shouldDisplay: false)

    @Argument var order: String

    func run() async throws {
        do {
            try await ChildOrder(text: order).run()
        } catch {
            // The parent has it from the acknowledgements, and counts it.
            throw ExitCode.failure
        }
    }
}

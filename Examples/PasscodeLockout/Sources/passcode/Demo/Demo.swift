import ArgumentParser

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the rules at work, on a machine whose time is simulated.")

    func run() async throws {
        try await DemoScript(say: { try? Terminal.write(.ownLines($0), .newline) }).run()
    }
}

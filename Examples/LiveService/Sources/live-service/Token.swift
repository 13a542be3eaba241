import ArgumentParser
import LiveServing
import Settle

struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the admin token to users who can read the file.")

    @OptionGroup var files: FileOptions

    func run() async throws {
        try await files.withStore { store in
            let token = try await store.group(ServiceSettings.self).admin.token.revealed
            guard !token.isEmpty else {
                throw CommandFailure("There is no token yet. “live-service serve” creates one when it starts.")
            }
            print(token)
        }
    }
}

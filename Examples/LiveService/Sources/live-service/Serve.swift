import ArgumentParser
import LiveServing
import NIOCore
import ServiceLifecycle
import Settle
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the service until it gets SIGTERM or SIGINT. The log goes to standard error.")

    @OptionGroup var files: FileOptions

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 for any free one.")
    var port = 8080

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("A port is a number from 0 to 65535.") }
    }

    func run() async throws {
        let store = try await files.openStore()
        let service = try await LiveService(LiveService.Parts(store: store))
        if try await service.settings.admin.createTokenIfMissing() {
            StandardError.write("There is a new admin token. “live-service token --file \(files.file)” shows it.")
        }
        let group = service.serviceGroup(
            host: host, port: port, gracefulShutdownSignals: [.sigterm, .sigint]
        ) { [host] port in
            StandardError.write("Listening on http://\(host):\(port)")
        }
        do {
            try await group.run()
        } catch let error as IOError {
            throw CommandFailure("Can't listen on port \(port) of \(host): \(error). Choose another with --port.")
        }
    }
}

/// Why a command could not do its work, as a sentence.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

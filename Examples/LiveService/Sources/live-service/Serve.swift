import ArgumentParser
import LiveServing
import NIOCore
import ServiceLifecycle
import Settle
import SettleHTTP
import SettleInterchange
import SettlePanel
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the service until SIGTERM, SIGINT, or SIGHUP from a terminal. The log goes to standard error.",
        discussion: """
            Settings are taken from arguments such as “--limits.per-second 50”, from variables such as \
            LIVE_LIMITS_PER_SECOND, from the folder of secrets and from the file. The first of these that has a setting wins.
            """)

    @OptionGroup var files: FileOptions

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 for any free one.")
    var port = 8080

    @Argument(parsing: .allUnrecognized, help: "Settings, such as --maintenance.is-on or --limits.burst=50.")
    var settings: [String] = []

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("The port must be from 0 to 65535.") }
    }

    func run() async throws {
        try await Descriptors.prepare()
        try await files.withStore(arguments: settings, history: .keep(), keepsLastKnown: true) { store in
            try await serve(store)
        }
    }

    private func serve(_ store: SettingsStore) async throws {
        var parts = LiveService.Parts(store: store)
        parts.panelKey = try PanelKey(file: files.panelKey)
        parts.panelHosts = [host]
        let service = try await LiveService(parts)
        let unknown = store.domains.remainingArguments.map { "“\($0)”" }.joined(separator: ", ")
        guard unknown.isEmpty else {
            throw ValidationError("No setting takes \(unknown). “live-service settings” lists them.")
        }
        if try await service.settings.admin.createTokenIfMissing() {
            service.log("There is a new admin token. “live-service token \(files.location)” shows it.")
        }
        // For “settle” and editors. The service does without, and so does a cluster.
        if files.etcdEndpoints == nil { do { try await store.file.writeSchema() } catch { service.log("\(error)") } }
        // A service manager reloads with SIGHUP. Otherwise it says that the terminal has been closed.
        let ends: [UnixSignal] = parts.manager.isPresent ? [.sigterm, .sigint] : [.sigterm, .sigint, .sighup]
        let signals = await UnixSignalsSequence(trapping: ends)
        do {
            try await service.run(host: host, port: port, until: signals) { [host] port in
                service.log("Listening on http://\(host):\(port)")
                service.log("Settings, for one browser: http://\(host):\(port)\(service.makePanelLink())")
            }
        } catch let error as IOError {
            throw CommandFailure("Can't listen on port \(port) of \(host): \(error)")
        } catch let error as SocketAddressError.UnknownHost {
            throw CommandFailure("Can't listen on \(error.host): there is no such host.")
        }
    }
}

/// Why a command failed, as a sentence.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

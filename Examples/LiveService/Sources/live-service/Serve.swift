import ArgumentParser
import LiveServing
import NIOCore
import ServiceLifecycle
import Settle
import SettleInterchange
import SettlePanel
import UnixSignals

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the service until it gets SIGTERM, SIGINT or SIGHUP. The log goes to standard error.",
        discussion: """
            Settings are taken from arguments such as “--limits.per-second 50”, from variables such as \
            LIVE_LIMITS_PER_SECOND, from the folder of secrets and from the file. The first of these that has a setting wins.
            """)

    @OptionGroup var files: FileOptions

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 for any free one.")
    var port = 8080

    @Option(help: "How many transactions the file's history keeps; 0 for no history.")
    var historyTransactions = 1_000

    @Option(help: "How many days the file's history goes back.")
    var historyDays = 30

    @Argument(parsing: .allUnrecognized, help: "Settings, such as --maintenance.is-on or --limits.burst=50.")
    var settings: [String] = []

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("A port is a number from 0 to 65535.") }
        guard (0...Self.longestHistory).contains(historyTransactions) else {
            throw ValidationError("A history keeps 0 to \(Self.longestHistory) transactions.")
        }
        guard (1...36_500).contains(historyDays) else {
            throw ValidationError("A history goes back 1 to 36500 days.")
        }
    }

    private static let longestHistory = 1_000_000

    /// A transaction takes 250 bytes or so, and up to 1 KiB with some text.
    private var history: HistoryPolicy {
        guard historyTransactions > 0 else { return .none }
        return .keep(
            transactions: historyTransactions, bytes: max(1 << 20, historyTransactions << 10), for: .days(historyDays))
    }

    func run() async throws {
        try await Descriptors.prepare()
        try await files.withStore(arguments: settings, history: history, keepsLastKnown: true) { store in
            try await serve(store)
        }
    }

    private func serve(_ store: SettingsStore) async throws {
        var parts = LiveService.Parts(store: store)
        parts.panelKey = try PanelKey(file: files.panelKey)
        parts.panelHosts = [host]
        let service = try await LiveService(parts)
        guard store.domains.remainingArguments.isEmpty else {
            throw ValidationError(Self.unknown(store.domains.remainingArguments))
        }
        if try await service.settings.admin.createTokenIfMissing() {
            service.log("There is a new admin token. “live-service token \(files.place)” shows it.")
        }
        // For “settle” and editors. The service does without, and so does a cluster.
        if files.etcdEndpoints == nil { do { try await store.file.writeSchema() } catch { service.log("\(error)") } }
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        do {
            try await service.run(host: host, port: port, until: signals) { [host] port in
                service.log("Listening on http://\(host):\(port)")
                service.log("Settings, for one browser: http://\(host):\(port)\(service.makePanelLink())")
            }
        } catch let error as IOError {
            throw CommandFailure.notListening(on: host, port, because: Self.words(for: error))
        } catch let error as SocketAddressError.UnknownHost {
            throw CommandFailure.notListening(on: error.host, port, because: "there is no such host")
        }
    }

    private static func unknown(_ arguments: [String]) -> String {
        "No setting takes \(arguments.map { "“\($0)”" }.joined(separator: ", ")). “live-service settings” lists them."
    }

    private static func words(for error: IOError) -> String {
        switch error.errnoCode {
        case EADDRINUSE: "another program uses it"
        case EACCES: "that is not permitted"
        case EADDRNOTAVAIL: "this machine does not have that address"
        default: "\(error)"
        }
    }
}

extension CommandFailure {
    fileprivate static func notListening(on host: String, _ port: Int, because reason: String) -> CommandFailure {
        CommandFailure("Can't listen on port \(port) of \(host): \(reason). Choose others with --port and --host.")
    }
}

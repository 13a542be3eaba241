import ArgumentParser
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Settle
import SettleHTTP
import SettlePanelHummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct Limits: SettingsGroup {
    @Setting(in: 1...100_000) var perSecond = 1_000
    @Setting(in: 1...100_000) var burst = 1_000
}

struct Admin: SettingsGroup {
    @Setting var tokens = Secret<[String: APIToken]>([:])
}

struct Maintenance: SettingsGroup {
    @Setting var isOn = false
    @Setting(.check("a text of 1 to 500 bytes") { (1...500).contains($0.utf8.count) })
    var message = "The service is down for maintenance."
}

struct Features: SettingsGroup {
    @Setting var enabled: [String] = []
    @Setting(help: "For each feature that is being tried, the percentage of the users who get it.")
    var shares = ["search": 10]
}

struct LogSettings: SettingsGroup {
    enum Level: String, Sendable, Codable, CaseIterable {
        case debug, info, notice, warning, error
    }

    @Setting var level = Level.info
    @Setting(help: "The password of the server that collects the records.") var password = Secret("")
}

/// Settings that only the program itself changes.
struct Counts: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting var starts = 0
}

/// The limits of the server, read when it starts.
struct ServerLimits: SettingsGroup {
    @Setting(in: 1...100_000) var streamLimit = 1_000
    @Setting(in: 0.1...3_600, unit: "seconds") var heartbeat = 15.0
    @Setting(in: 0.1...3_600, unit: "seconds") var stallLimit = 60.0
    @Setting(in: 0.1...3_600, unit: "seconds") var idleLimit = 60.0
    @Setting(in: 0.1...3_600, unit: "seconds") var sendLimit = 60.0
}

struct AppSettings: SettingsGroup {
    let limits = Limits()
    let maintenance = Maintenance()
    let features = Features()
    let logging = LogSettings()
    let counts = Counts()
    let server = ServerLimits()
    let admin = Admin()
}

/// The program of the guide “Settings over HTTP”, with settings of several kinds, for the checks beside it.
@main
struct SettingsAPIProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings-api",
        abstract: "Serves its settings over HTTP on this machine, until it gets SIGTERM.")

    @Option(help: "The file with the settings, which is created if it is missing.")
    var file = "settings.json"

    @Option(help: "The port to listen on; 0 for any free one.")
    var port = 8080

    @Option(help: "A folder with a file for each token, named after its holder, besides the setting “admin.tokens”.")
    var tokens: String?

    @Option(help: "An administrator's folder; the settings in it are locked.")
    var managed: String?

    @Argument(parsing: .allUnrecognized, help: "Settings, such as --limits.per-second 50.")
    var settings: [String] = []

    func run() async throws {
        let locking = managed.map { [SearchList.Domain.managed(in: URL(filePath: $0))] } ?? []
        let store = try await SettingsStore.open(
            at: URL(filePath: file),
            searching: SearchList(locking + [.arguments(settings), .environment(prefix: "API"), .application]),
            configuration: .init(history: .keep()))
        let app = try await store.group(AppSettings.self)
        app.counts.starts += 1
        let logger = Logger(label: "settings-api")
        let api = SettingsAPI(store, groups: AppSettings.self, configuration: configuration(of: app, logger))
        let router = Router()
        router.add(middleware: SettingsMiddleware(api))
        router.get("/hello") { _, _ in "At most \(app.limits.perSecond) a second.\n" }
        let idleTimeout = TimeAmount.milliseconds(Int64(app.server.idleLimit * 1_000))
        let sendTimeout = TimeAmount.milliseconds(Int64(app.server.sendLimit * 1_000))
        let server = HTTP1Channel.Configuration(
            additionalChannelHandlers: [IdleStateHandler(writeTimeout: sendTimeout), StalledAnswerHandler()],
            idleTimeout: idleTimeout)
        let application = Application(
            router: router, server: .http1(configuration: server),
            configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { channel in
                logger.notice("Listening on http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
            }, logger: logger)
        try await application.runService()
        try await store.close()
    }

    private func configuration(of app: AppSettings, _ logger: Logger) -> SettingsAPI.Configuration {
        let stored = APITokens.setting(app.admin.$tokens)
        let accepted = tokens.map { stored + .folder(URL(filePath: $0)) } ?? stored
        var configuration = SettingsAPI.Configuration(access: .tokens(accepted))
        configuration.health = .open
        configuration.flags = .authorized
        configuration.streamLimit = app.server.streamLimit
        configuration.heartbeat = .seconds(app.server.heartbeat)
        configuration.streamStallLimit = .seconds(app.server.stallLimit)
        configuration.refusalLog = { refusal in
            logger.warning("Refused (\(refusal.reason.rawValue)): \(refusal.path), and \(refusal.unreported) before it")
        }
        configuration.accessLog = { access in
            if let failure = access.failure { logger.error("\(failure)") }
        }
        return configuration
    }
}

import ArgumentParser
import Hummingbird
import Logging
import Settle
import SettleInterchange
import SettlePanel
import SettlePanelHummingbird
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves a page of settings on this machine, until it is interrupted.",
        discussion: """
            Without a domain and a bundle, a front page lists all programs that have stored settings, and the bundles that \
            are found in --bundles. The link that is printed lets one browser in, once.
            """)

    @Argument(help: "The domain, such as com.example.app: its settings by the schema that the program has left.")
    var domain: String?

    @Option(
        help: ArgumentHelp(
            "A Settings.bundle. Its domain is the identifier of the program around it.", valueName: "path"))
    var bundle: String?

    @Option(
        help: ArgumentHelp(
            "A folder with bundles, or with programs that have one. There is no usual place for them.",
            valueName: "folder"))
    var bundles: String?

    @Option(help: "The port to listen on; 0 for any free one.")
    var port = 8765

    @Option(help: ArgumentHelp("The file with the key that signs the sessions.", valueName: "file"))
    var key: String?

    @Flag(help: "Opens the page in the browser.")
    var open = false

    func run() async throws {
        let found = try Panels(domain: domain, bundle: bundle, bundles: bundles)
        let key = try PanelKey(file: key.map { URL(filePath: $0) } ?? Self.keyFile)
        // Browsers send cookies to all ports of a machine: below a path of its own, other servers hardly get this one.
        let configuration = SettingsPanel.Configuration(
            title: "Settings", path: "/settings", access: .sessions(key, HMACAuthentication()))
        let directory = PanelDirectory(configuration: configuration) { found.entries() }
        let place = found.first.map { directory.path(of: $0) }
        let router = Router()
        router.addSettingsPanels(directory)
        var logger = Logger(label: "settings-panel")
        logger.logLevel = .warning
        let opens = open
        let page = Mutex<URL?>(nil)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { channel in
                let link = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)\(directory.makeLink(to: place))"
                Terminal.say("Open this link in a browser; it works once, and for 10 minutes:\n\n  \(link)\n")
                if opens {
                    let folder = Browser.open(link)
                    page.withLock { $0 = folder }
                }
            }, logger: logger)
        // The link ends with this program, and so does what leads to it.
        defer { if let folder = page.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) } }
        try await application.runService()
    }

    /// `$XDG_STATE_HOME/settings-panel/key`.
    private static var keyFile: URL {
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        let home = URL(filePath: environment["HOME"] ?? "/")
        return (state ?? home.appending(path: ".local/state")).appending(path: "settings-panel/key")
    }
}

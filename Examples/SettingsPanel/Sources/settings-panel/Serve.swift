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
            are found in --bundles. The link that is printed lets one browser in, once; settings-panel link prints further ones.
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

    @OptionGroup var access: AccessOptions

    @Flag(help: "Opens the page in the browser.")
    var open = false

    @Flag(help: "Logs on standard error who comes and goes, what is refused and what is changed.")
    var log = false

    func run() async throws {
        let found = try Panels(domain: domain, bundle: bundle, bundles: bundles)
        var logger = Logger(label: "settings-panel")
        logger.logLevel = log ? .info : .warning
        var configuration = try access.configuration()
        if log { configuration.log(to: logger) }
        let directory = PanelDirectory(configuration: configuration) { found.entries() }
        let place = found.first.map { directory.path(of: $0) }
        let router = Router()
        router.addSettings(directory)
        let (opens, name) = (open, access.name)
        let page = Mutex<URL?>(nil)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { channel in
                let link = AccessOptions.address(
                    directory.makeLink(for: name, to: place), port: channel.localAddress?.port ?? 0)
                Terminal.say(AccessOptions.message(with: link))
                if opens {
                    let folder = Browser.open(link)
                    page.withLock { $0 = folder }
                }
            }, logger: logger)
        // Without the program, the page that leads to the link is of no use.
        defer { if let folder = page.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) } }
        try await application.runService()
    }
}

import ArgumentParser
import SettlePanel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Prints a further link for a running server.
///
/// It does not ask the server: links are signed with the key, in a file of mode 0600, and the server accepts each that
/// its key has signed, once. A user who can read that file could sign a session, too, so this gives nobody more than
/// they have. A socket would need the same permissions, and would be one more thing that other users could try to
/// reach.
struct Link: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints a further link for a running server: it lets one browser in, once.",
        discussion: "The server must have been started with the same key, which is the same user's by default.")

    @Argument(help: "The domain to whose page the link leads, or that of the bundle; by default the front page.")
    var domain: String?

    @Option(
        help: ArgumentHelp(
            "The Settings.bundle to whose page the link leads, of a server that shows it.", valueName: "path"))
    var bundle: String?

    @Option(help: "The port of the server.")
    var port = 8765

    @OptionGroup var access: AccessOptions

    func run() throws {
        let file = access.keyFile
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw ValidationError(
                "No server has used the key “\(file.path)” yet. Start one with settings-panel serve.")
        }
        let entries = try Panels(domain: domain, bundle: bundle, bundles: nil)
        let directory = PanelDirectory(configuration: try access.configuration()) { entries.entries() }
        let link = directory.makeLink(for: access.name, to: entries.first.map { directory.path(of: $0) })
        Terminal.say(AccessOptions.message(with: AccessOptions.address(link, port: port)))
    }
}

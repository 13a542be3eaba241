import ArgumentParser
import SettlePanel
import SettlePanelHummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options for the access to the pages.
struct AccessOptions: ParsableArguments {
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("The name that the changes of the link's browser have as their author.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("The file with the key that signs the links and the sessions.", valueName: "file"))
    var key: String?

    /// By default `$XDG_STATE_HOME/settings-panel/key`.
    var keyFile: URL {
        if let key { return URL(filePath: key) }
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        let home = URL(filePath: environment["HOME"] ?? "/")
        return (state ?? home.appending(path: ".local/state")).appending(path: "settings-panel/key")
    }

    /// The location of the pages and the access to them. Makes the key if there is none.
    func configuration() throws -> SettingsPanel.Configuration {
        // Browsers send cookies to all ports of a machine: below a path of its own, other servers hardly get this one.
        SettingsPanel.Configuration(
            title: "Settings", path: "/settings",
            access: .sessions(try PanelKey(file: keyFile), HMACAuthentication()))
    }

    /// Returns the address of a page on a port of this machine.
    static func address(_ path: String, port: Int) -> String { "http://127.0.0.1:\(port)\(path)" }

    static func message(with link: String) -> String {
        "Open this link in a browser; it works once, and for 10 minutes:\n\n  \(link)\n"
    }
}

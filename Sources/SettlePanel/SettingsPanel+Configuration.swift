public import SettleInterchange

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension SettingsPanel {
    /// Where a panel is, who may use it, and what it is called.
    public struct Configuration: Sendable {
        /// Who may use a panel.
        public enum Access: Sendable {
            /// Browsers that a one-time link has let in; see ``SettingsPanel/makeLink(returningTo:)``.
            case sessions(PanelKey, any MessageAuthentication)
            /// Whoever reaches it. For a server that has let in the person itself, and for tests.
            case everyone
        }

        /// The title of the first pane, such as the program's name.
        public var title: String
        /// The path below which the panel is, such as `/settings/panel`. Empty for the server's root, the default.
        /// Browsers send the session's cookie to all servers of the same host name below this path, whatever their
        /// ports.
        public var path: String
        /// The names by which the panel may be reached, without a port. By default those of this machine's loopback:
        /// `localhost`, `127.0.0.1` and `[::1]`.
        public var hosts: [String]
        /// Who may use it.
        public var access: Access
        /// How long a browser that is not used stays let in. By default 7 days.
        public var sessionLifetime: Duration
        /// How long a link that nobody has used can be used. By default 10 minutes.
        public var linkLifetime: Duration
        /// Whether browsers reach the panel by `https` only, so that they keep cookies from other connections. By
        /// default false.
        public var isSecure: Bool
        /// The name under which changes are stored. By default `panel`.
        public var author: String
        /// The panel's own words in other languages, by language such as `fr`. The English texts are the keys. German
        /// and Arabic are there already; words that are given for these count before.
        public var translations: [String: StringTable]
        /// How often an event stream without changes shows that it is alive. By default each 15 seconds.
        public var heartbeat: Duration
        /// The time, for tests.
        package var now: @Sendable () -> Date = { Date() }
        /// Waits, for tests.
        package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

        /// Creates a configuration with the defaults.
        public init(title: String, path: String = "", access: Access) {
            (self.title, self.path, self.access) = (title, path, access)
            hosts = ["localhost", "127.0.0.1", "[::1]"]
            (sessionLifetime, linkLifetime) = (.seconds(7 * 24 * 3600), .seconds(600))
            (isSecure, author, translations) = (false, "panel", [:])
            heartbeat = .seconds(15)
        }

        /// The path without slashes at its end.
        var base: String {
            var path = path[...]
            while path.hasSuffix("/") { path.removeLast() }
            return path.isEmpty || path.hasPrefix("/") ? String(path) : "/\(path)"
        }
    }
}

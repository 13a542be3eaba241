import SettleHTTP
public import SettleInterchange

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension SettingsPanel {
    /// The location of a panel, its access and its title.
    public struct Configuration: Sendable {
        /// The browsers that may use a panel.
        public enum Access: Sendable {
            /// Browsers that a one-time link has let in; see ``SettingsPanel/makeLink(for:returningTo:)``.
            case sessions(PanelKey, any MessageAuthentication)
            /// Every client that reaches it. For a server that has authenticated the user itself, and states the name in
            /// `WebRequest.user`, and for tests.
            case everyone
        }

        /// The title of the first pane, such as the program's name.
        public var title: String
        /// The path of the panel, such as `/settings/panel`. Empty for the server's root, the default. Browsers send
        /// the session's cookie to all servers of the same host name below this path, whatever their ports.
        public var path: String
        /// The host names by which the panel may be reached, without a port. By default those of this machine's
        /// loopback: `localhost`, `127.0.0.1` and `[::1]`.
        public var hosts: [String]
        /// The browsers that may use the panel.
        public var access: Access
        /// How long a session lasts. A request in the second half of this time renews it for the whole time. By default
        /// 7 days.
        public var sessionLifetime: Duration
        /// How long a session lasts at most, from its link on, however often it is used. By default 30 days.
        public var sessionLimit: Duration
        /// How long an unused link is valid. By default 10 minutes.
        public var linkLifetime: Duration
        /// Whether browsers reach the panel by `https` only, so that they withhold cookies from other connections. By
        /// default false.
        public var isSecure: Bool
        /// The name under which changes are stored if the user has none. By default `panel`.
        public var author: String
        /// Receives who came and went, what was refused and what was changed, for the program's log. By default `nil`.
        ///
        /// It is called before the response is sent, by several requests at once, so it must be quick.
        public var audit: (@Sendable (PanelAuditEvent) -> Void)?
        /// The panel's own texts in other languages, by language such as `fr`. The English texts are the keys. German
        /// and Arabic are included; texts given for these take precedence.
        public var translations: [String: StringTable]
        /// The declared texts in other languages, by language such as `fr`: titles, help texts, units, sections, choices,
        /// and the texts of patterns and checks. The declared texts are the keys, and count as English. If they are in
        /// another language, add an empty table for it, and one for `en`. Not for a bundle, which has its own tables.
        public var declaredTexts: [String: StringTable]
        /// The interval at which an event stream without changes shows that it is alive. By default 15 seconds.
        public var heartbeat: Duration
        /// Returns the time, for tests.
        package var now: @Sendable () -> Date = { Date() }
        /// Waits, for tests.
        package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

        /// Creates a configuration with the defaults.
        public init(title: String, path: String = "", access: Access) {
            (self.title, self.path, self.access) = (title, path, access)
            hosts = ["localhost", "127.0.0.1", "[::1]"]
            (sessionLifetime, sessionLimit) = (.seconds(7 * 24 * 3600), .seconds(30 * 24 * 3600))
            linkLifetime = .seconds(600)
            (isSecure, author) = (false, "panel")
            (translations, declaredTexts) = ([:], [:])
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

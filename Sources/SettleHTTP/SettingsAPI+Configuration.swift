#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension SettingsAPI {
    /// The location of an API, its access and its limits.
    public struct Configuration: Sendable {
        /// The clients that may use the API.
        public enum Access: Sendable {
            /// Clients with one of these tokens. While there is none, no client is admitted.
            case tokens(APITokens)
            /// Every client that reaches it. For a server that has authenticated the user itself, and states the name
            /// in ``WebRequest/user``, and for tests.
            case open
        }

        /// The access to routes that a configuration can open or leave out.
        public enum RouteAccess: Sendable, Hashable {
            /// That of the settings.
            case authorized
            /// Every client that reaches the server, for a probe or a scraper without a token.
            case open
            /// No client: there is no such route.
            case off
        }

        /// The path of the API on the server, such as `/admin`, above `/settings`. Empty for the server's root, the
        /// default.
        public var path: String
        /// The clients that may use the API.
        public var access: Access
        /// The access to `/health/live` and `/health/ready`. By default ``RouteAccess/authorized``.
        public var health: RouteAccess
        /// The access to `/metrics`. By default ``RouteAccess/authorized``.
        public var metrics: RouteAccess
        /// The access to `/openapi.json`. By default ``RouteAccess/authorized``: a token of some keys gets the schemas
        /// of these. With ``RouteAccess/open``, every client that reaches the server gets the keys, rules, help texts
        /// and defaults of all settings.
        public var description: RouteAccess
        /// The access to `/ofrep/v1/evaluate/flags`, where OpenFeature SDKs read settings as flags. By default
        /// ``RouteAccess/off``. With ``RouteAccess/authorized``, a token of some keys gets these. With
        /// ``RouteAccess/open``, every client that reaches the server gets the values of all settings that are neither
        /// secret nor owner-only.
        ///
        /// - Note: Not settled: a version 0.x may still change it.
        public var flags: RouteAccess
        /// The host names by which the server is reached, without a port; `nil` for any with tokens, and for those of
        /// this machine's loopback with ``Access/open``. By default `nil`.
        public var hosts: [String]?
        /// The title of the OpenAPI document.
        public var title: String
        /// The version of the program, for the OpenAPI document. By default `1`.
        public var version: String
        /// The name under which changes are stored with ``Access/open`` if the user has none. By default `api`.
        public var author: String
        /// The largest body of a request, in bytes. By default 64 KiB.
        public var bodySizeLimit: Int
        /// The longest path with query, in bytes. By default 8 KiB.
        public var targetSizeLimit: Int
        /// The largest header, in bytes of names and values. By default 32 KiB.
        public var headerSizeLimit: Int
        /// How many streams may be open at once. Further ones get the status 503. By default 1,000.
        public var streamLimit: Int
        /// How long a stream's client may take nothing before its stream is ended. ``WebEvents/send(by:)`` also cancels
        /// the server's write then; otherwise the stream counts for ``streamLimit`` until that ends. By default 60
        /// seconds.
        public var streamStallLimit: Duration
        /// The interval at which a stream without changes shows that it is alive. By default 15 seconds.
        public var heartbeat: Duration
        /// How many answers to writes with an `Idempotency-Key` are remembered, in at most 16 MiB. Beyond either, the
        /// client with the most loses its oldest one. By default 1,000.
        public var idempotencyLimit: Int
        /// How long each of them is remembered. By default one day.
        public var idempotencyLifetime: Duration
        /// Returns the program's own reasons why it should receive no requests now, as sentences, such as that it is
        /// shutting down. By default there are none.
        public var reasonsNotReady: @Sendable () -> [String]
        /// Returns more metrics. By default there are none.
        public var moreMetrics: @Sendable () -> [Metric]
        /// Receives each request that was answered, for an access log. By default `nil`.
        ///
        /// It is called before the response is sent, by several requests at once, so it must be quick.
        public var accessLog: (@Sendable (APIAccess) -> Void)?
        /// Receives requests that were refused because of their token: ten at once, then one every ten seconds. By
        /// default `nil`.
        public var refusalLog: (@Sendable (APIRefusal) -> Void)?
        /// Returns the time, for tests.
        package var now: @Sendable () -> Date = { Date() }
        /// Waits, for tests.
        package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

        /// Creates a configuration with the defaults.
        public init(title: String = "Settings", path: String = "", access: Access) {
            (self.title, self.path, self.access) = (title, path, access)
            (health, metrics, description, flags) = (.authorized, .authorized, .authorized, .off)
            (version, author) = ("1", "api")
            (bodySizeLimit, targetSizeLimit, headerSizeLimit) = (64 << 10, 8 << 10, 32 << 10)
            (streamLimit, streamStallLimit, heartbeat) = (1_000, .seconds(60), .seconds(15))
            (idempotencyLimit, idempotencyLifetime) = (1_000, .seconds(24 * 3_600))
            (reasonsNotReady, moreMetrics) = ({ [] }, { [] })
        }

        /// The path without slashes at its end.
        var base: String {
            var path = path[...]
            while path.hasSuffix("/") { path.removeLast() }
            return path.isEmpty || path.hasPrefix("/") ? String(path) : "/\(path)"
        }

        var hostCheck: HostCheck {
            if case .open = access { return HostCheck(hosts: hosts ?? ["localhost", "127.0.0.1", "[::1]"]) }
            return HostCheck(hosts: hosts)
        }
    }
}

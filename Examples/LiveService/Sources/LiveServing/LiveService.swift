import Hummingbird
import HummingbirdCore
import Logging
import ServiceLifecycle
public import Settle
public import SettleHTTP
public import SettlePanel
import SettlePanelHummingbird
public import UnixSignals

/// An HTTP service whose settings change while it runs.
public struct LiveService: Sendable {
    /// The version, for `--version` and the OpenAPI document. The service is released with the library.
    public static let version = SettingsStore.libraryVersion

    /// The parts of the service.
    public struct Parts: Sendable {
        /// The open store. The service closes it.
        public var store: SettingsStore
        /// The clock of the rate limiter and of time-outs.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// How long requests may continue when the service ends, before they are cut off.
        public var longestShutdown = Duration.seconds(10)
        /// Signs the sessions of the page of settings; by default they end with the program.
        public var panelKey = PanelKey()
        /// Names of this machine by which the page may be reached, besides those of the loopback.
        public var panelHosts: [String] = []
        /// Receives the state of the service, and reloads the settings with SIGHUP.
        public var manager = ServiceManager()
        /// Receives the lines of the log.
        public var log: @Sendable (String) -> Void

        public init(store: SettingsStore) { (self.store, log) = (store, StandardError.log) }
    }

    /// The service's settings.
    public let settings: ServiceSettings
    private let parts: Parts
    private let panel: SettingsPanel
    private let load = ServiceLoad()
    private let connections: Connections
    /// How many connections may be accepted, including those that are about to close.
    private let accepted = Descriptors.forConnections

    /// - Throws: ``SettingsError`` if the store can't open the settings.
    public init(_ parts: Parts) async throws {
        self.parts = parts
        settings = try await parts.store.group(ServiceSettings.self)
        var configuration = SettingsPanel.Configuration(
            title: "Live service", path: "/settings/panel", access: .sessions(parts.panelKey, HMACAuthentication()))
        configuration.hosts += parts.panelHosts
        panel = SettingsPanel(parts.store, groups: ServiceSettings.self, configuration: configuration)
        connections = Connections(settings: settings.connections, ceiling: accepted - min(accepted / 4, 64))
    }

    /// Runs the service until a signal comes, the grace of ``ShutdownSettings`` has passed, and all requests are
    /// answered. A second signal ends the grace.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0 for any free one.
    ///   - onListening: Called with the port once the service listens.
    public func run(
        host: String = "127.0.0.1", port: Int, until signals: some AsyncSequence<UnixSignal, Never> & Sendable,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws {
        let group = serviceGroup(host: host, port: port, onListening: onListening)
        let notice = StopNotice(
            load: load, settings: settings.shutdown, clock: parts.clock, logger: logger("service"))
        async let _: Void = {
            await notice.wait(for: signals)
            try? parts.manager.stopping()
            await group.triggerGracefulShutdown()
        }()
        async let _: Void = { if parts.manager.isPresent { await parts.manager.reloadOnHangUp(parts.store) } }()
        try await group.run()
    }

    /// The path and query of a link that lets one browser see and change the settings.
    public func makePanelLink() -> String { panel.makeLink() }

    /// Writes a line to the log at any level of it, also while the service does not run.
    public func log(_ message: String) { unfiltered("service").notice("\(message)") }

    /// The services, in the order in which they start. They end in reverse: first no more requests are accepted, and
    /// the store closes last.
    func serviceGroup(
        host: String = "127.0.0.1", port: Int, onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> ServiceGroup {
        let application = Application(
            router: router(),
            server: HTTPServerBuilder { [connections] in ServiceChannel(responder: $0, connections: connections) },
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), backlog: 1_024,
                availableConnectionsDelegate: MaximumAvailableConnections(accepted, logger: logger("http"))),
            onServerRunning: { [manager = parts.manager] channel in
                await onListening(channel.localAddress?.port ?? 0)
                try? manager.ready()
            }, logger: logger("http"))
        let reactions = Reactions(settings: settings, load: load, connections: connections, logger: logger("service"))
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: SettingsService(parts.store, logger: unfiltered("settings"))),
                .init(service: reactions),
                // A failure, such as a port in use, ends the other services in order too.
                .init(service: application, failureTerminationBehavior: .gracefullyShutdownGroup),
            ],
            logger: logger("service"))
        // A client that does not read must not keep the service from ending.
        configuration.maximumGracefulShutdownDuration = parts.longestShutdown
        return ServiceGroup(configuration: configuration)
    }

    private func router() -> Router<BasicRequestContext> {
        let api = SettingsAPI(parts.store, groups: ServiceSettings.self, configuration: apiConfiguration)
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.add(middleware: LogRequestsMiddleware(.debug))
        router.add(middleware: ProblemMiddleware())
        // Before limits and maintenance, which can be changed there.
        router.add(middleware: SettingsMiddleware(panel))
        router.add(middleware: SettingsMiddleware(api))
        OpenAPIRoute(api: api).add(to: router)
        let limiter = RateLimiter(clock: parts.clock) { [limits = settings.limits] in
            limits.snapshot { RateLimit(perSecond: $0.perSecond, burst: $0.burst) }
        }
        let admission = AdmissionMiddleware<BasicRequestContext>(
            load: load, maintenance: settings.maintenance, limiter: limiter)
        PublicRoutes(settings: settings, clock: parts.clock).add(to: router.group().add(middleware: admission))
        return router
    }

    private var apiConfiguration: SettingsAPI.Configuration {
        let tokens =
            APITokens.setting(settings.admin.$token, name: "admin") + APITokens.setting(settings.admin.$tokens)
        var configuration = SettingsAPI.Configuration(title: "Live service", access: .tokens(tokens))
        configuration.version = Self.version
        // For probes and scrapers without a token. OpenAPIRoute has the description, with the service's own endpoints.
        (configuration.health, configuration.metrics, configuration.description) = (.open, .open, .off)
        configuration.streamLimit = accepted
        configuration.reasonsNotReady = { [load, maintenance = settings.maintenance] in
            var reasons = load.isStopping ? ["The service is stopping."] : []
            if maintenance.isOn { reasons.append("Maintenance is on: \(maintenance.message)") }
            return reasons
        }
        configuration.moreMetrics = { [connections, limits = settings.limits] in
            [
                Metric("http_connections", .gauge, help: "Open connections.", Double(connections.count)),
                Metric("rate_limit_per_second", .gauge, help: "The limit in force.", Double(limits.perSecond)),
                Metric("rate_limit_burst", .gauge, help: "The limit in force.", Double(limits.burst)),
            ]
        }
        configuration.accessLog = { [logger = logger("admin")] access in
            if let failure = access.failure { logger.error("\(failure)", metadata: ["request": "\(access.requestID)"]) }
        }
        configuration.refusalLog = { [logger = logger("admin")] refusal in
            logger.warning(
                "A request to the API of settings was refused.",
                metadata: [
                    "method": "\(refusal.method)", "path": "\(refusal.path)",
                    "reason": "\(refusal.reason.rawValue)", "unlogged": "\(refusal.unreported)",
                ])
        }
        return configuration
    }

    /// For lines that are logged at every level, such as the change that sets it to error.
    private func unfiltered(_ label: String) -> Logger {
        var logger = logger(label)
        logger.logLevel = .info
        return logger
    }

    private func logger(_ label: String) -> Logger {
        Logger(label: label) { label in
            ServiceLogHandler(
                label: label, level: { [settings] in settings.logging.level },
                format: { [settings] in settings.logging.format }, write: parts.log)
        }
    }
}

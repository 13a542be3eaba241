import Hummingbird
import HummingbirdCore
import Logging
import ServiceLifecycle
public import Settle
public import SettlePanel
import SettlePanelHummingbird
public import UnixSignals

/// An HTTP service whose settings change while it runs.
public struct LiveService: Sendable {
    /// The parts of the service.
    public struct Parts: Sendable {
        /// The open store. The service closes it.
        public var store: SettingsStore
        /// The clock of the rate limiter, time-outs and heartbeats.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// How often an idle stream of changes sends a heartbeat.
        public var heartbeat = Duration.seconds(15)
        /// How long requests may continue when the service ends, before they are cut off.
        public var longestShutdown = Duration.seconds(10)
        /// Signs the sessions of the page of settings; by default they end with the program.
        public var panelKey = PanelKey()
        /// Names of this machine by which the page may be reached, besides those of the loopback.
        public var panelHosts: [String] = []
        /// Receives the lines of the log.
        public var log: @Sendable (String) -> Void = StandardError.write

        public init(store: SettingsStore) {
            self.store = store
        }
    }

    /// The service's settings.
    public let settings: ServiceSettings
    private let parts: Parts
    private let panel: SettingsPanel
    private let metrics = PrometheusMetrics(help: PrometheusMetrics.help)
    private let load = ServiceLoad()
    private let connections: Connections
    /// How many connections may be accepted, including those that are about to close.
    private let accepted = Descriptors.forConnections

    /// - Throws: ``SettingsError`` if the store can't open the settings.
    public init(_ parts: Parts) async throws {
        self.parts = parts
        settings = try await parts.store.group(ServiceSettings.self)
        var configuration = SettingsPanel.Configuration(
            title: "Live service", path: PanelRoutes.path, access: .sessions(parts.panelKey, HMACAuthentication()))
        configuration.hosts += parts.panelHosts
        panel = SettingsPanel(parts.store, groups: ServiceSettings.self, configuration: configuration)
        connections = Connections(
            settings: settings.connections, ceiling: accepted - min(accepted / 4, 64), factory: metrics)
    }

    /// Runs the service until a signal comes, the grace of ``ShutdownSettings`` has passed, and all requests are
    /// answered.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port to listen on; 0 for any free one.
    ///   - signals: The signals that end the service. The second one ends the grace.
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
            await group.triggerGracefulShutdown()
        }()
        try await group.run()
    }

    /// The path and query of a link that lets one browser see and change the settings.
    public func makePanelLink() -> String { panel.makeLink(returningTo: "/") }

    /// Writes a line to the log at any level of it, also while the service does not run.
    public func log(_ message: String) {
        unfiltered("service").notice("\(message)")
    }

    /// The services, in the order in which they start. They end in reverse: first no more requests are accepted, and
    /// the store closes last.
    func serviceGroup(
        host: String = "127.0.0.1", port: Int, onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> ServiceGroup {
        let application = application(host: host, port: port, onListening: onListening)
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

    private var reactions: Reactions {
        Reactions(
            settings: settings, load: load, connections: connections, metrics: metrics, logger: logger("service"))
    }

    private func application(
        host: String, port: Int, onListening: @escaping @Sendable (Int) async -> Void
    ) -> some Service {
        let logger = logger("http")
        return Application(
            responder: router().responder(),
            server: HTTPServerBuilder { [connections] in ServiceChannel(responder: $0, connections: connections) },
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), backlog: 1_024,
                availableConnectionsDelegate: MaximumAvailableConnections(accepted, logger: logger)),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
            logger: logger)
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

    func router() -> ServiceRouter {
        let router = ServiceRouter()
        router.add(middleware: LogRequestsMiddleware(.debug))
        router.add(middleware: RequestMetricsMiddleware(factory: metrics))
        // Before limits and maintenance, which can be changed there.
        router.add(middleware: SettingsPanelMiddleware(panel))
        router.add(middleware: SentenceMiddleware())
        let endpoints = endpoints
        router.add(endpoints.filter { $0.operation.access == .open })
        limited(router).add(endpoints.filter { $0.operation.access == .limited })
        let refusals = Refusals(clock: parts.clock, logger: logger("admin"), metrics: metrics)
        router.group().add(middleware: AdminMiddleware(settings: settings.admin, refusals: refusals))
            .add(endpoints.filter { $0.operation.access == .admin })
        return router
    }

    private func limited(_ router: ServiceRouter) -> RouterGroup<ServiceContext> {
        let limiter = RateLimiter(clock: parts.clock) { [limits = settings.limits] in
            limits.snapshot { RateLimit(perSecond: $0.perSecond, burst: $0.burst) }
        }
        return router.group()
            // A request is counted before it passes the switch, so that none is missed when maintenance begins.
            .add(middleware: LoadMiddleware(load: load))
            .add(middleware: MaintenanceMiddleware(settings: settings.maintenance))
            .add(middleware: RateLimitMiddleware(limiter: limiter))
    }

    /// All that the service serves: the router and the OpenAPI document are made from this.
    var endpoints: [Endpoint] {
        let store = parts.store
        let changes = ChangesRoute(
            events: ChangeEvents(store: store), settings: settings.admin,
            heartbeats: Heartbeats(interval: parts.heartbeat, clock: parts.clock),
            counts: StreamCounts(factory: metrics))
        let counts = ConflictCounts(factory: metrics)
        let metricsRoute = MetricsRoute(
            metrics: metrics, storeMetrics: StoreMetrics(of: store, factory: metrics),
            processMetrics: ProcessMetrics(factory: metrics))
        return OpenAPIRoute(store: store).describing(
            PublicRoutes(settings: settings, clock: parts.clock).endpoints
                + PanelRoutes(panel: panel).endpoints
                + SettingsRoutes(store: store, counts: counts).endpoints
                + [HistoryRoute(store: store).endpoint, UndoRoute(store: store, counts: counts).endpoint]
                + changes.endpoints
                + HealthRoutes(store: store, maintenance: settings.maintenance, load: load).endpoints
                + [metricsRoute.endpoint])
    }
}

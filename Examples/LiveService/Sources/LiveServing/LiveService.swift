import Hummingbird
import Logging
public import ServiceLifecycle
public import Settle
public import UnixSignals

/// An HTTP service whose settings change while it runs.
public struct LiveService: Sendable {
    /// The parts of the service.
    public struct Parts: Sendable {
        /// The open store, whose revisions start with ``LiveService/newRunRevision()``. The service closes it.
        public var store: SettingsStore
        /// The clock of the rate limiter, time-outs and heartbeats.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// How often an idle stream of changes sends a heartbeat.
        public var heartbeat = Duration.seconds(15)
        /// How long requests may continue when the service ends, before they are cut off.
        public var longestShutdown = Duration.seconds(10)
        /// Receives the lines of the log.
        public var log: @Sendable (String) -> Void = StandardError.write

        public init(store: SettingsStore) {
            self.store = store
        }
    }

    /// The service's settings.
    public let settings: ServiceSettings
    private let parts: Parts
    private let metrics = PrometheusMetrics()
    private let load = ServiceLoad()

    /// - Throws: ``SettingsError`` if the store can't open the settings.
    public init(_ parts: Parts) async throws {
        self.parts = parts
        settings = try await parts.store.group(ServiceSettings.self)
    }

    /// The services, in the order in which they start. They end in reverse: first no more requests are accepted, and
    /// the store closes last.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port to listen on; 0 for any free one.
    ///   - signals: The signals that end the group gracefully.
    ///   - onListening: Called with the port once the service listens.
    public func serviceGroup(
        host: String = "127.0.0.1", port: Int, gracefulShutdownSignals signals: [UnixSignal] = [],
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> ServiceGroup {
        // Changes are logged at every level, including the change that sets it to error.
        var changeLogger = logger("settings")
        changeLogger.logLevel = .info
        let application = Application(
            router: router(), configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
            logger: logger("http"))
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: SettingsService(parts.store, logger: changeLogger)),
                .init(service: Reactions(settings: settings, load: load, metrics: metrics, logger: logger("service"))),
                // A failure, such as a port in use, ends the other services in order too.
                .init(service: application, failureTerminationBehavior: .gracefullyShutdownGroup),
            ],
            gracefulShutdownSignals: signals, logger: logger("service"))
        // A client that does not read must not keep the service from ending.
        configuration.maximumGracefulShutdownDuration = parts.longestShutdown
        return ServiceGroup(configuration: configuration)
    }

    private func logger(_ label: String) -> Logger {
        Logger(label: label) { label in
            ServiceLogHandler(label: label, level: { [settings] in settings.logging.level }, write: parts.log)
        }
    }

    private func router() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: LogRequestsMiddleware(.debug))
        router.add(middleware: RequestMetricsMiddleware(factory: metrics))
        router.add(middleware: SentenceMiddleware())
        let limiter = RateLimiter(clock: parts.clock) { [limits = settings.limits] in
            limits.snapshot { RateLimit(perSecond: $0.perSecond, burst: $0.burst) }
        }
        PublicRoutes(settings: settings, clock: parts.clock).add(
            to: router.group()
                // A request is counted before it passes the switch, so that none is missed when maintenance begins.
                .add(middleware: LoadMiddleware(load: load))
                .add(middleware: MaintenanceMiddleware(settings: settings.maintenance))
                .add(middleware: RateLimitMiddleware(limiter: limiter)))

        let admin = router.group().add(middleware: AdminMiddleware(settings: settings.admin))
        SettingsRoutes(store: parts.store).add(to: admin)
        ChangesRoute(
            events: ChangeEvents(store: parts.store), settings: settings.admin,
            heartbeats: Heartbeats(interval: parts.heartbeat, clock: parts.clock)
        ).add(to: admin)

        HealthRoutes(store: parts.store, maintenance: settings.maintenance).add(to: router)
        MetricsRoute(metrics: metrics, storeMetrics: StoreMetrics(of: parts.store, factory: metrics)).add(to: router)
        return router
    }
}

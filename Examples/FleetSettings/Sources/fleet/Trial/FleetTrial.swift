import EtcdHTTP
import FleetMachines
import SettleEtcd
import TrialChecks

/// One run: six services that write, a program that waits until its value is in force on all of them, and what is done
/// to them and to the nodes.
struct FleetTrial {
    static let prefix = "/fleet/trial/"
    let seconds: Int
    let cluster: RealCluster
    let proxies: TrialProxies
    let services: [ServiceProcess]
    let etcd: BareEtcd
    let beginning: Int
    private let folder: TemporaryFolder
    private let seed: UInt64

    struct Result {
        var account: String
        /// The promises that were broken, as sentences.
        var problems: [String]
        /// What the cluster has stored and what each service has told, a line for each.
        var record: [String]
    }

    static func run(seconds: Int, seed: UInt64, _ transport: EtcdHTTPTransport) async throws -> Result {
        let cluster = try RealCluster(on: LocalNetwork.current)
        try await cluster.ready()
        return try await TrialProxies.run(to: cluster.endpoints) { proxies in
            try await FleetTrial(seconds: seconds, seed: seed, cluster, proxies, transport).run()
        }
    }

    private init(
        seconds: Int, seed: UInt64, _ cluster: RealCluster, _ proxies: TrialProxies, _ transport: EtcdHTTPTransport
    ) async throws {
        (self.seconds, self.seed, self.cluster, self.proxies) = (seconds, seed, cluster, proxies)
        let (network, folder) = (LocalNetwork.current, try TemporaryFolder("settle-fleet"))
        self.folder = folder
        etcd = BareEtcd(transport, endpoints: cluster.endpoints, prefix: Self.prefix)
        // A place to begin after, for all of them.
        beginning = try await etcd.put("limits.requests", "100")
        let services = (1...6).map { number in
            ServiceProcess(
                number, of: cluster, endpoints: proxies.endpoints(of: number), prefix: Self.prefix, folder: folder,
                on: network, reports: true)
        }
        self.services = services
        for service in services { try service.start() }
        for service in services { try await service.wait("it has begun") { $0.contains { $0.word == "began" } } }
        // From here on each of them is asked by who waits.
        let storage = EtcdStorage(
            EtcdConfiguration(endpoints: cluster.endpoints, prefix: Self.prefix), transport: transport)
        let areListed = try await MonotonicTime.wait(atMost: .seconds(30)) {
            try await storage.machines().count == services.count
        }
        guard areListed else { throw MachineError("Not all services report what they have in force.") }
    }

    private func run() async throws -> Result {
        let end = MonotonicTime.now() + seconds * 1_000_000_000
        for service in services { service.say("work", service.number * 10_000_000, end) }
        async let writer = WaitingWriter(endpoints: cluster.endpoints, prefix: Self.prefix).run(until: end)
        var plan = DisturbancePlan(seed: seed)
        var counts: [String: Int] = [:]
        while MonotonicTime.now() < end - 1_000_000_000 {
            let disturbance = plan.next()
            counts[disturbance.kind.rawValue, default: 0] += 1
            try await disturb(disturbance, until: end)
        }
        return try await finish(at: end, counts, writer)
    }

    private func disturb(_ disturbance: Disturbance, until end: Int) async throws {
        let pause = Duration.milliseconds(disturbance.milliseconds)
        let (node, service) = (disturbance.target % 3, services[disturbance.target % 6])
        switch disturbance.kind {
        case .nodeKilled:
            cluster.kill(node)
            try await Task.sleep(for: pause)
            try cluster.start(node)
        case .nodeStopped:
            cluster.pause(node)
            try await Task.sleep(for: pause)
            cluster.pause(node, false)
        case .nodeCut:
            try cluster.cut(node)
            try await Task.sleep(for: pause)
            try cluster.cut(node, false)
        case .clientKilled:
            await service.kill()
            try service.start()
            let life = service.lines.count { $0.word == "began" || $0.word == "again" } + 1
            service.say("work", service.number * 10_000_000 + life * 100_000, end)
        case .clientStopped:
            service.pause()
            try await Task.sleep(for: pause)
            service.pause(false)
        case .clientCut:
            try service.cut()
            try await Task.sleep(for: pause)
            try service.cut(false)
        case .streamsHeld:
            proxies.late.hold("/v3/watch", for: pause)
            try await Task.sleep(for: pause)
        }
        try await Task.sleep(for: .milliseconds(disturbance.rest))
    }

    /// - Parameter writer: What the program was told that waits.
    private func finish(at end: Int, _ counts: [String: Int], _ writer: [Acknowledgement]) async throws -> Result {
        try await cluster.ready()
        for service in services {
            try await service.wait("it has finished", atMost: .seconds(120)) {
                $0.last { $0.word == "finished" } != nil
            }
        }
        // By now nothing is on its way any more. What was stored can be read.
        let log = try await etcd.events(from: beginning + 1).compactMap { event -> ClusterVerdict.Stored? in
            guard let register = TrialGroup.register(of: event.key) else { return nil }
            return ClusterVerdict.Stored(
                revision: event.revision, register: register, value: event.value.flatMap { Int($0) } ?? 0)
        }
        let last = log.last?.revision ?? 0
        var finals: [String: [Int: Int]] = [:]
        for service in services {
            try? await service.wait("it has seen revision \(last)", atMost: .seconds(60)) { lines in
                lines.contains { $0.word == "saw" && $0.numbers[1] >= last }
            }
            service.say("registers")
            try await service.wait("what it has") { $0.contains { $0.word == "registers" } }
            let values = service.lines.last { $0.word == "registers" }?.numbers ?? []
            finals["Service \(service.number)"] = Dictionary(uniqueKeysWithValues: values.enumerated().map { ($0, $1) })
        }
        for service in services { await service.end() }
        let lines = services.map(\.lines)
        let verdict = ClusterVerdict(
            lines + [writer], log: log, repeating: TrialGroup.repeating, finals: finals, end: MonotonicTime.now())
        let waits = WaitVerdict(writer: writer, services: lines)
        let record =
            log.map { "stored at \($0.revision): register \($0.register) = \($0.value)" }
            + services.flatMap { service in service.lines.map { "service \(service.number): \($0.line)" } }
            + writer.map { "fleet set: \($0.line)" }
        return Result(
            account: account(lines.flatMap { $0 }, log, counts) + "; \(waits.count) values in force everywhere",
            problems: verdict.sentences + waits.sentences, record: record)
    }

    private func account(
        _ lines: [Acknowledgement], _ log: [ClusterVerdict.Stored], _ counts: [String: Int]
    ) -> String {
        func count(_ word: String) -> Int { lines.count { $0.word == word } }
        let done = counts.sorted { $0.key < $1.key }.map { "\($1) \($0)" }.joined(separator: ", ")
        return
            "\(count("call")) calls, \(count("answer")) acknowledged, \(count("refused")) refused, \(count("unknown")) "
            + "unknown, \(count("locked")) under a lock; \(log.count) stored, \(count("saw")) seen; \(done)"
    }
}

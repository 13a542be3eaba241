import EtcdHTTP
import FleetMachines
import Foundation
import SettleEtcd
import TrialChecks

/// One run: six services that write, a seventh one within their prefix, a program that waits until its value is in
/// force on all six, and what is done to them and to the nodes.
struct FleetTrial {
    static let prefix = "/fleet/trial/"
    let seconds: Int
    let cluster: RealCluster
    let proxies: TrialProxies
    let services: [ServiceProcess]
    /// The seventh one, whose prefix is within that of the others.
    let inner: ServiceProcess
    let transport: EtcdHTTPTransport
    let etcd: BareEtcd
    /// Makes revisions outside the prefix.
    let elsewhere: BareEtcd
    let beginning: Int
    let seed: UInt64
    /// The wall time at its beginning, in seconds since 2001-01-01 00:00 UTC.
    let start = Date().timeIntervalSinceReferenceDate
    private let folder: TemporaryFolder

    struct Result {
        var account: String
        /// The promises that were broken, as sentences.
        var problems: [String]
        /// The stored values of the cluster and the reports of each service, a line for each.
        var record: [String]
    }

    /// - Parameter restores: Whether a snapshot is restored at the end.
    static func run(
        seconds: Int, seed: UInt64, restores: Bool, _ transport: EtcdHTTPTransport
    ) async throws -> Result {
        let cluster = try RealCluster(on: LocalNetwork.current)
        try await cluster.ready()
        return try await TrialProxies.run(to: cluster.endpoints) { proxies in
            let trial = try await FleetTrial(seconds: seconds, seed: seed, cluster, proxies, transport)
            var result = try await trial.run()
            if restores {
                let problems = try await trial.restoreSnapshot()
                result.account += "; a snapshot restored"
                result.problems += problems
                result.record += ["With what came after the snapshot:"] + trial.record
            }
            for service in trial.services { await service.end() }
            return result
        }
    }

    private init(
        seconds: Int, seed: UInt64, _ cluster: RealCluster, _ proxies: TrialProxies, _ transport: EtcdHTTPTransport
    ) async throws {
        (self.seconds, self.seed, self.cluster, self.proxies) = (seconds, seed, cluster, proxies)
        self.transport = transport
        let (network, folder) = (LocalNetwork.current, try TemporaryFolder("settle-fleet"))
        self.folder = folder
        etcd = BareEtcd(transport, endpoints: cluster.endpoints, prefix: Self.prefix)
        elsewhere = BareEtcd(transport, endpoints: cluster.endpoints, prefix: "/elsewhere/")
        // A token to begin after, for all of them.
        try await etcd.put(InnerService.name + "limits.requests", "100")
        beginning = try await etcd.put("limits.requests", "100")
        let services = (1...6).map { number in
            ServiceProcess(
                number, of: cluster, endpoints: proxies.endpoints(of: number), prefix: Self.prefix, folder: folder,
                on: network, reports: true)
        }
        let inner = ServiceProcess(
            InnerService.number, of: cluster, prefix: InnerService.prefix, folder: folder, on: network)
        (self.services, self.inner) = (services, inner)
        let everyone = services + [inner]
        for service in everyone { try service.start() }
        for service in everyone { try await service.wait("it has begun") { $0.contains { $0.word == "began" } } }
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
        let everyone = services + [inner]
        for service in everyone { service.say("work", service.number * 10_000_000, end) }
        async let writer = WaitingWriter(endpoints: cluster.endpoints, prefix: Self.prefix).run(until: end)
        var (plan, clocks) = (DisturbancePlan(seed: seed), ClockPlan(seed: seed, services: everyone.count))
        var counts: [String: Int] = [:]
        while MonotonicTime.now() < end - 1_000_000_000 {
            let (disturbance, move) = (plan.next(), clocks.next())
            counts[disturbance.kind.rawValue, default: 0] += 1
            everyone[move.service].setClock(ahead: move.ahead)
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

    /// - Parameter writer: The record of `fleet set --wait`.
    private func finish(at end: Int, _ counts: [String: Int], _ writer: [Acknowledgement]) async throws -> Result {
        try await cluster.ready()
        try await waitForEnds(of: 1, in: services + [inner])
        let events = try await etcd.events(from: beginning + 1)
        let log = Self.stored(in: events)
        let finals = try await finals(after: log)
        let lines = services.map(\.lines)
        let verdict = ClusterVerdict(
            lines + [InnerService.calls(inner.lines), writer], log: log, repeating: TrialGroup.repeating,
            finals: finals, end: MonotonicTime.now())
        let waits = WaitVerdict(writer: writer, services: lines)
        let misdated = misdatedCount(in: events)
        var problems = verdict.sentences + waits.sentences
        // A single service may have stored nothing since, and all of them hardly anything on a machine that is busy.
        if misdated == 0, counts.values.reduce(0, +) > 2, log.count > 40 {
            problems.append("Clocks were moved, and no transaction shows it.")
        }
        problems += try await finishInner(log)
        let record = log.map { "stored at \($0.revision): register \($0.register) = \($0.value)" } + record
        return Result(
            account: account((lines + [inner.lines]).flatMap { $0 }, log, counts)
                + "; \(misdated) dated by a moved clock; \(waits.count) values in force everywhere",
            problems: problems, record: record + writer.map { "fleet set: \($0.line)" })
    }

    /// The lines of the services.
    private var record: [String] {
        (services + [inner]).flatMap { service in service.lines.map { "service \(service.number): \($0.line)" } }
    }

    /// Waits until services have finished their work so many times. Then nothing is on its way any more.
    func waitForEnds(of count: Int, in services: [ServiceProcess]) async throws {
        for service in services {
            try await service.wait("it has finished", atMost: .seconds(120)) { lines in
                lines.count { $0.word == "finished" } >= count
            }
        }
    }

    /// The writes of the registers in the cluster's history.
    static func stored(in events: [BareEtcd.Event]) -> [ClusterVerdict.Stored] {
        events.compactMap { event in
            guard let register = TrialGroup.register(of: event.key) else { return nil }
            return ClusterVerdict.Stored(
                revision: event.revision, register: register, value: event.value.flatMap { Int($0) } ?? 0)
        }
    }

    /// The values that the services end with, once they have seen everything.
    func finals(after log: [ClusterVerdict.Stored]) async throws -> [String: [Int: Int]] {
        var finals: [String: [Int: Int]] = [:]
        for service in services {
            finals["Service \(service.number)"] = try await values(of: service, after: log)
        }
        return finals
    }

    /// The values that a service ends with, once it has seen everything.
    func values(of service: ServiceProcess, after log: [ClusterVerdict.Stored]) async throws -> [Int: Int] {
        let last = log.last?.revision ?? 0
        try? await service.wait("it has seen revision \(last)", atMost: .seconds(60)) { lines in
            lines.last { $0.word == "saw" }.map { $0.numbers[1] >= last } ?? false
        }
        let values = try await registers(of: service)
        return Dictionary(uniqueKeysWithValues: values.enumerated().map { ($0, $1) })
    }

    /// The values that a service has now.
    func registers(of service: ServiceProcess) async throws -> [Int] {
        let count = service.lines.count { $0.word == "registers" }
        service.say("registers")
        try await service.wait("what it has") { lines in lines.count { $0.word == "registers" } > count }
        return service.lines.last { $0.word == "registers" }?.numbers ?? []
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

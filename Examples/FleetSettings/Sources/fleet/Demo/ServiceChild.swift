import ArgumentParser
import FleetMachines
import Foundation
import Settle
import SettleEtcd
import SettleInterchange
import TrialChecks

extension Fleet {
    /// A service of the demonstration or of the trial: a store with one group, which does what its parent says and
    /// reports what it sees, a line for each.
    struct ServiceChild: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "service", shouldDisplay: false)
        @OptionGroup var cluster: Cluster
        @Option var number: Int
        @Option var after: String?
        /// Reports under this name, stores its schema, and searches the settings of this host.
        @Option var machine: String?
        /// Searches the settings of this group, after those of its host.
        @Option var memberOf: String?

        func run() async throws {
            let clock = MovableClock()
            let orders = Self.orders(setting: clock)
            let after = after.flatMap { ChangeToken($0) }
            // A cluster without a majority can't be opened; a service manager would start the service again.
            var hasBegun = false
            let end = ContinuousClock.now + .seconds(30)
            while true {
                do {
                    return try await cluster.open(
                        impatient: true, searching: layers, wallClock: { clock.time() }
                    ) { store, storage in
                        let settings = try await store.group(FleetGroup.self)
                        if machine != nil {
                            try await storage.storeSchema(store.file.schema().jsonSchema, version: "1.0")
                        }
                        hasBegun = true
                        let report = machine.map { machine in Task { await storage.report(store, as: machine) } }
                        try await Service(number: number, store: store, storage: storage, settings: settings)
                            .run(orders, after: after)
                        report?.cancel()
                        await report?.value
                    }
                } catch {
                    let cause = (error as? SettingsError)?.underlying ?? error
                    let isUnavailable = (cause as? StorageError)?.code == .unavailable
                    guard isUnavailable, !hasBegun, ContinuousClock.now < end else { throw error }
                    Terminal.complain("fleet: \(error)")
                    try await Task.sleep(for: .milliseconds(200))
                }
            }
        }

        private var layers: [(name: DomainName, cluster: Cluster)] {
            guard let machine else { return [] }
            var (host, group) = (cluster, cluster)
            (host.host, group.group) = (machine, memberOf)
            var layers: [(name: DomainName, cluster: Cluster)] = [(name: "host", cluster: host)]
            if let memberOf { layers.append((name: DomainName(memberOf), cluster: group)) }
            return layers
        }

        /// What the parent says; it ends with the parent.
        ///
        /// - Parameter clock: Is set at once, whatever the service does.
        private static func orders(setting clock: MovableClock) -> AsyncStream<String> {
            let (orders, continuation) = AsyncStream.makeStream(of: String.self)
            Thread.detachNewThread {
                while let line = readLine() {
                    if let order = Acknowledgement(line: line), order.word == "clock", let ahead = order.numbers.first {
                        clock.set(ahead: ahead)
                    } else {
                        continuation.yield(line)
                    }
                }
                continuation.finish()
            }
            return orders
        }
    }
}

/// What a child does.
private struct Service {
    let number: Int
    let store: SettingsStore
    let storage: EtcdStorage
    let settings: FleetGroup

    private static func tell(_ word: String, _ numbers: Int..., text: String? = nil) {
        Terminal.say(Acknowledgement(word, numbers, text: text).line)
    }

    func run(_ orders: AsyncStream<String>, after token: ChangeToken?) async throws {
        let trial = TrialWork(store: store, group: try await store.group(TrialGroup.self))
        let beginning = token ?? store.history.token
        Self.tell("began", Int(clamping: beginning?.position ?? 0), text: beginning.map { "\($0)" })
        let following = Task { await follow(after: beginning) }
        let issues = store.issues
        let listening = Task { for await issue in issues { Self.tell("issue", text: "\(issue)") } }
        defer {
            following.cancel()
            listening.cancel()
        }
        for await order in orders {
            guard let order = Acknowledgement(line: order) else { continue }
            switch order.word {
            case "limit": await commit(order.numbers[0]) { settings.limits.requests = order.numbers[0] }
            case "append": await commit(order.numbers[0]) { settings.ledger.append(order.numbers[0]) }
            case "burst": settings.limits.burst = order.numbers[0]
            case "work": await trial.run(from: order.numbers[0], until: order.numbers[1])
            case "registers": trial.reportRegisters()
            case "look":
                Self.tell("ledger", settings.limits.requests, settings.limits.burst, text: "\(settings.ledger)")
            case "end": return
            default: break
            }
        }
    }

    private func follow(after token: ChangeToken?) async {
        var isFirst = token == nil
        for await change in store.history.changes(after: token) {
            let now = MonotonicTime.now()
            // Without a token to begin after, everything comes first.
            let isBeginning = isFirst && change.snapshot != nil
            isFirst = false
            if isBeginning, change.token == nil { continue }
            if !isBeginning, change.missed != .nothing { Self.tell("hole", now, text: "\(change)") }
            guard let token = change.token else {
                Self.tell("hole", now, text: "A change has no token: \(change)")
                continue
            }
            let keys = change.mutations.map { "\($0.key)" }.joined(separator: ",")
            Self.tell("saw", now, Int(clamping: token.position), text: "\(token) \(keys)")
        }
    }

    private func commit(_ id: Int, _ body: () throws -> Void) async {
        Self.tell("called", id, MonotonicTime.now())
        do {
            try await store.commit(author: "service \(number)", body)
            Self.tell("done", id, MonotonicTime.now())
        } catch {
            Self.tell("failed", id, MonotonicTime.now(), text: "\(error)")
        }
    }
}

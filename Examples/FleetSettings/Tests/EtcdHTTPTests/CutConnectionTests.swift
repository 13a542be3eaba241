import EtcdHTTP
import FleetMachines
import Foundation
import Settle
import SettleEtcd
import Testing

/// A proxy before a member of etcd ends connections after each byte of what goes over the wire.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: RealCluster.isInstalled, "Debian's etcd-server is not installed."))
struct CutConnectionTests {
    private typealias Counter = RealClusterTests.Counter

    /// Every eighth place of an answer: a proxy, and a prefix of its own. Side by side, because etcd brings what is
    /// past on a stream ten times a second.
    private struct Lane: Sendable {
        static let count = 8

        let number: Int
        let proxy: CuttingProxy
        let transport: EtcdHTTPTransport
        let endpoints: [String]

        private var prefix: String { "/fleet/cut/\(number)/" }

        var configuration: EtcdConfiguration {
            var configuration = EtcdConfiguration(endpoints: [proxy.endpoint], prefix: prefix)
            configuration.reconnectDelay = .milliseconds(1)...Duration.milliseconds(2)
            configuration.start = .withClusterOnly
            // Each cut is noticed at once: that a machine is slow is none.
            configuration.deadline = .seconds(60)
            return configuration
        }

        /// Goes past the proxy.
        var bare: BareEtcd { BareEtcd(transport, endpoints: endpoints, prefix: prefix) }

        /// Does something for each place, until three times nothing was cut: then the place is behind the end.
        ///
        /// - Parameter count: How many in a row are cut.
        func forEachPlace(
            of path: String, in part: CuttingProxy.Part = .answer, count: Int = 1, _ body: () async throws -> Void
        ) async throws {
            var (place, misses) = (number, 0)
            while misses < 3 {
                proxy.cut(path, part, after: place, count: count)
                try await body()
                // Another answer may have begun and ended before the one that was meant.
                misses = proxy.endCutting().contains(place) ? 0 : misses + 1
                // Nothing answers to a part of a request, wherever that ends: some places stand for the others.
                if misses == 0 { place += Self.count * (part == .request ? 5 : 1) }
            }
            // Nothing is shorter, with the head.
            #expect(place > 400)
        }
    }

    private func inLanes(_ body: @escaping @Sendable (Lane) async throws -> Void) async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        try await withTransport { transport in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<Lane.count {
                    group.addTask {
                        try await CuttingProxy.run(to: cluster.endpoints) { proxy in
                            try await body(
                                Lane(
                                    number: number, proxy: proxy, transport: transport, endpoints: cluster.endpoints))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    // MARK: Transactions

    private enum Outcome {
        case acknowledged, refused, unknown
    }

    private func outcome(_ commit: () async throws -> Void) async -> Outcome {
        do {
            try await commit()
            return .acknowledged
        } catch {
            var next: (any Error)? = error
            while let error = next {
                if let error = error as? StorageError { return error.isOutcomeUnknown ? .unknown : .refused }
                next = (error as? SettingsError)?.underlying
            }
            return .refused
        }
    }

    /// - Parameter count: How many in a row are cut: the transaction, and those that find out what has become of it.
    @Test(
        "A transaction that is cut is stored once or not at all",
        arguments: [(CuttingProxy.Part.request, 1), (.request, 3), (.answer, 1), (.answer, 2), (.answer, 3)])
    func cutTransaction(_ part: CuttingProxy.Part, _ count: Int) async throws {
        try await inLanes { lane in
            let store = try await SettingsStore.open(
                storage: EtcdStorage(lane.configuration, transport: lane.transport))
            let follower = try await SettingsStore.open(
                storage: EtcdStorage(lane.configuration, transport: lane.transport))
            let settings = try await store.group(Counter.self)
            _ = try await follower.group(Counter.self)
            try await settings.commit { settings.count = -1 }
            let first = try await lane.bare.revision() + 1
            var seen = Seen(follower, after: store.history.token)
            var number = 0
            var outcomes: [Outcome: Set<Int>] = [:]
            func commit() async {
                number += 1
                let value = number
                let outcome = await outcome { try await settings.commit { settings.count = value } }
                outcomes[outcome, default: []].insert(value)
            }
            try await lane.forEachPlace(of: "/v3/kv/txn", in: part, count: count) {
                await commit()
                lane.proxy.endCutting()
                if outcomes[.acknowledged]?.contains(number) != true { await commit() }
                #expect(outcomes[.acknowledged]?.contains(number) == true)
                #expect(settings.count == number)
                let value = try await lane.bare.value(at: "count")
                #expect(value == "\(number)")
                await seen.follow(until: number)
            }
            let events = try await lane.bare.events(from: first).filter { $0.key == "count" }
            let stored = events.compactMap { $0.value.flatMap { Int($0) } }
            #expect(Set(stored).count == stored.count)
            #expect(outcomes[.acknowledged, default: []].isSubset(of: stored))
            #expect(outcomes[.refused, default: []].isDisjoint(with: stored))
            #expect(seen.values == stored)
            #expect(seen.revisions == events.map(\.revision))
            #expect(seen.holes.isEmpty)
            // One cut refuses nothing: what has become of the transaction is found out at once, and if it has not
            // landed, it is sent again.
            if count == 1 { #expect(outcomes[.refused] == nil && outcomes[.unknown] == nil) }
            try await follower.close()
            try await store.close()
        }
    }

    /// The changes that a follower receives.
    private struct Seen {
        private var changes: ResumedChanges.Iterator
        private(set) var values: [Int] = []
        private(set) var revisions: [Int] = []
        private(set) var holes: [Change] = []

        init(_ store: SettingsStore, after token: ChangeToken?) {
            changes = store.history.changes(after: token).makeAsyncIterator()
        }

        mutating func follow(until last: Int) async {
            while values.last != last, let change = await changes.next() {
                if change.missed != .nothing { holes.append(change) }
                revisions.append(Int(clamping: change.token?.position ?? 0))
                values += change.mutations.filter { $0.key == "count" }.compactMap { $0.newValue as? Int }
            }
        }
    }

    // MARK: Reads

    @Test("A load whose answer is cut fails or has everything") func cutLoad() async throws {
        try await inLanes { lane in
            try await lane.bare.put("count", "7")
            try await lane.bare.put("text", "\"stored\"")
            let stored: SettingValue.Entries = ["count": .integer(7), "text": .string("stored")]
            var failures = 0
            try await lane.forEachPlace(of: "/v3/kv/range") {
                let storage = EtcdStorage(lane.configuration, transport: lane.transport)
                do {
                    let contents = try await storage.load()
                    #expect(contents.tree.root == stored)
                } catch is StorageError {
                    failures += 1
                }
                // The connection of an answer that was whole may end only when it is used again.
                let contents = try? await storage.load()
                let again = try await storage.load()
                #expect((contents ?? again).tree.root == stored && again.tree.root == stored)
                await storage.close()
            }
            // One cut answer is asked for again. A second failure may be a connection that ended before.
            #expect(failures < 20)
        }
    }

    /// With a range, and with the stream that brings the revisions which it has shown.
    @Test("What is new comes once although the answers are cut", arguments: ["/v3/kv/range", "/v3/watch"])
    func cutAnswers(_ path: String) async throws {
        try await inLanes { lane in
            let storage = EtcdStorage(lane.configuration, transport: lane.transport)
            var position = try await storage.load().position
            var number = 0
            var seen: [SettingValue] = []
            func fetch() async throws {
                let found = try await storage.changes(after: position)
                position = found.position
                for case .values(let values) in found.changes.map(\.content) {
                    if case let value?? = values["count"] { seen.append(value) }
                }
            }
            try await lane.forEachPlace(of: path) {
                number += 1
                try await lane.bare.put("count", "\(number)")
                // The connection of an answer that was whole may end only when it is used again.
                for attempt in 1...3 {
                    do { try await fetch() } catch is StorageError where attempt < 3 {}
                }
                #expect(seen.last == .integer(Int64(number)))
            }
            #expect(seen == (1...number).map { .integer(Int64($0)) })
            await storage.close()
        }
    }

    // MARK: Streams

    /// Asks for an answer without events, too, as etcd sends one to a client that asks for its progress.
    private struct ProgressTransport: EtcdTransport {
        let base: EtcdHTTPTransport

        func call(_ request: EtcdRequest) async throws -> EtcdAnswer { try await base.call(request) }

        func stream(_ request: EtcdRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
            var request = request
            request.body += Array(#"{"progress_request":{}}"#.utf8)
            return try await base.stream(request)
        }
    }

    @Test("A follower whose stream is cut sees each revision once and in order") func cutStream() async throws {
        try await inLanes { lane in
            let storage = EtcdStorage(
                lane.configuration, transport: ProgressTransport(base: lane.transport))
            let store = try await SettingsStore.open(storage: storage)
            let settings = try await store.group(Counter.self)
            try await settings.commit { settings.count = -1 }
            let first = try await lane.bare.revision() + 1
            var seen = Seen(store, after: store.history.token)
            var number = 0
            try await lane.forEachPlace(of: "/v3/watch") {
                lane.proxy.endAnswers(to: "/v3/watch")
                try await lane.bare.put("count", "\(number + 1)")
                try await lane.bare.remove("text")
                number += 2
                try await lane.bare.put([("count", "\(number)"), ("text", "\"\(number)\"")])
                await seen.follow(until: number)
                for await text in settings.$text where text == "\(number)" { break }
            }
            let events = try await lane.bare.events(from: first)
            var revisions = events.map(\.revision)
            revisions = revisions.indices.filter { $0 == 0 || revisions[$0 - 1] != revisions[$0] }.map { revisions[$0] }
            #expect(seen.revisions == revisions)
            #expect(seen.values == Array(1...number))
            #expect(seen.holes.isEmpty)
            try await store.close()
        }
    }
}

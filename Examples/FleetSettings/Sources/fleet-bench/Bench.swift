import EtcdHTTP
import FleetMachines
import Foundation
import Settle
import SettleEtcd

/// Nodes, and stores on them.
struct Bench {
    struct Counter: SettingsGroup {
        @Setting var count = 0
    }

    let cluster: RealCluster
    let transport: EtcdHTTPTransport

    init(members: Int, _ transport: EtcdHTTPTransport) async throws {
        cluster = try RealCluster(members: members, on: LocalNetwork.current)
        try await cluster.ready()
        self.transport = transport
    }

    /// - Parameter number: Which member the store begins with.
    func open(_ prefix: String, number: Int = 0) async throws -> SettingsStore {
        let endpoints = cluster.endpoints
        let first = number % endpoints.count
        var configuration = EtcdConfiguration(
            endpoints: Array(endpoints[first...] + endpoints[..<first]), prefix: prefix)
        // The first member is the first endpoint.
        configuration.random = { 0 }
        return try await SettingsStore.open(storage: EtcdStorage(configuration, transport: transport))
    }

    func bare(_ prefix: String, number: Int = 0) -> BareEtcd {
        BareEtcd(transport, endpoints: [cluster.endpoints[number % cluster.endpoints.count]], prefix: prefix)
    }
}

/// A commit, and the same transaction of a client that knows nothing of settings.
struct Commits {
    let samples: Int

    func measure(_ transport: EtcdHTTPTransport) async throws {
        let bench = try await Bench(members: 3, transport)
        let (subject, limit) = try await compare(bench, "/bench/store/")
        Table.row(
            "commit, three members",
            "\(Table.milliseconds(subject.median)), p99 \(Table.milliseconds(subject.quantile(0.99)))")
        Table.row(
            "a bare client's transaction",
            "\(Table.milliseconds(limit.median)), p99 \(Table.milliseconds(limit.quantile(0.99)))")
        Table.row("R33 commit ÷ bare transaction (goal ≤ 1.3)", Table.ratio(subject, limit))
    }

    /// The same with many keys under the store's prefix. The bare client's prefix has none.
    func measureSizes(_ sizes: [Int], _ transport: EtcdHTTPTransport) async throws {
        let bench = try await Bench(members: 3, transport)
        for size in sizes {
            let prefix = "/bench/\(size)/"
            try await bench.fill(prefix, with: size)
            let (subject, limit) = try await compare(bench, prefix)
            Table.row(
                "R44 the same, \(size) keys under the prefix (goal ≤ 1.3)",
                "\(Table.ratio(subject, limit)) (\(Table.milliseconds(subject.median)))")
        }
    }

    private func compare(_ bench: Bench, _ prefix: String) async throws -> (subject: [Int], limit: [Int]) {
        let store = try await bench.open(prefix)
        let settings = try await store.group(Bench.Counter.self)
        let bare = bench.bare("/bare\(prefix)")
        var client = BareClient(prefix: "/bare\(prefix)", revision: try await bare.revision())
        var (subject, limit): ([Int], [Int]) = ([], [])
        for number in 1...(samples + 20) {
            let start = MonotonicTime.now()
            try await settings.commit { settings.count = number }
            let middle = MonotonicTime.now()
            try await client.commit(number, bare)
            let end = MonotonicTime.now()
            guard number > 20 else { continue }
            subject.append(middle - start)
            limit.append(end - middle)
        }
        try await store.close()
        return (subject, limit)
    }
}

extension Bench {
    /// Puts keys under a prefix.
    fileprivate func fill(_ prefix: String, with count: Int) async throws {
        let bare = bare(prefix)
        for first in stride(from: 0, to: count, by: 100) {
            let puts = (first..<min(first + 100, count)).map { number in
                let (key, value) = (BareEtcd.base64("\(prefix)key\(number)"), BareEtcd.base64("\(number)"))
                return #"{"request_put":{"key":"\#(key)","value":"\#(value)"}}"#
            }
            _ = try await bare.post("/v3/kv/txn", #"{"success":[\#(puts.joined(separator: ","))]}"#)
        }
    }
}

/// Makes the transactions that a store makes for one setting, without a store.
private struct BareClient {
    let prefix: String
    /// Of the prefix, and of the last transaction, which has changed all that the next one compares.
    var revision: Int
    var ownRevision = 0

    init(prefix: String, revision: Int) {
        self.prefix = prefix
        self.revision = revision
    }

    mutating func commit(_ number: Int, _ bare: BareEtcd) async throws {
        let key = BareEtcd.base64("\(prefix)count")
        let marker = BareEtcd.base64("\(prefix)$settle/markers/5f0c1a2b3c4d5e6f")
        let head = BareEtcd.base64("\(prefix)$settle/head")
        let (start, end) = (BareEtcd.base64(prefix), BareEtcd.base64(prefix.dropLast() + "0"))
        let (inner, innerEnd) = (BareEtcd.base64("\(prefix)count."), BareEtcd.base64("\(prefix)count/"))
        let compared = [marker, head, key].map {
            #"{"key":"\#($0)","target":"MOD","result":"EQUAL","mod_revision":"\#(ownRevision)"}"#
        }
        let text = BareEtcd.base64(
            #"{"batch":"\#(number)","session":"12345678901234567890","store":"12345678901234567890","time":817999999.5}"#
        )
        let body = """
            {"compare":[\(compared.joined(separator: ",")),\
            {"key":"\(inner)","range_end":"\(innerEnd)","target":"MOD","result":"LESS","mod_revision":"\(revision + 1)"}],\
            "success":[{"request_put":{"key":"\(key)","value":"\(BareEtcd.base64("\(number)"))"}},\
            {"request_put":{"key":"\(marker)","value":"\(text)"}},{"request_put":{"key":"\(head)","value":""}}],\
            "failure":[{"request_range":{"key":"\(start)","range_end":"\(end)","min_mod_revision":"\(revision + 1)"}}]}
            """
        let answer = try await bare.post("/v3/kv/txn", body)
        guard answer["succeeded"] as? Bool == true else {
            throw MachineError("The bare transaction has failed: \(answer)")
        }
        revision = BareEtcd.number((answer["header"] as? [String: Any])?["revision"])
        ownRevision = revision
    }
}

/// A change on one member until a task has it through another, and until a bare watch has it there.
struct Watches {
    let samples: Int

    func measure(_ transport: EtcdHTTPTransport) async throws {
        let bench = try await Bench(members: 3, transport)
        let store = try await bench.open("/bench/store/", number: 1)
        let settings = try await store.group(Bench.Counter.self)
        let writer = bench.bare("/", number: 0)
        var (subject, limit): ([Int], [Int]) = ([], [])
        var values = settings.$count.makeAsyncIterator()
        _ = await values.next()
        let watch = bench.bare("/bench/bare/", number: 1)
        var events = watch.watch(from: try await watch.revision() + 1).makeAsyncIterator()
        func put(_ prefix: String, _ number: Int) async throws {
            let body = #"{"key":"\#(BareEtcd.base64("\(prefix)count"))","value":"\#(BareEtcd.base64("\(number)"))"}"#
            _ = try await writer.post("/v3/kv/put", body)
        }
        for number in 1...(samples + 20) {
            let start = MonotonicTime.now()
            async let first: Void = put("/bench/store/", number)
            while let value = await values.next(), value != number {}
            let middle = MonotonicTime.now()
            try await first
            let begin = MonotonicTime.now()
            async let second: Void = put("/bench/bare/", number)
            while let event = try await events.next(), event.value != "\(number)" {}
            let end = MonotonicTime.now()
            try await second
            guard number > 20 else { continue }
            subject.append(middle - start)
            limit.append(end - begin)
        }
        Table.row(
            "a change until a task has it elsewhere",
            "\(Table.milliseconds(subject.median)), p99 \(Table.milliseconds(subject.quantile(0.99)))")
        Table.row(
            "until a bare watch has it",
            "\(Table.milliseconds(limit.median)), p99 \(Table.milliseconds(limit.quantile(0.99)))")
        Table.row("R34 change ÷ bare watch (goal ≤ 1.3)", Table.ratio(subject, limit))
        try await store.close()
    }
}

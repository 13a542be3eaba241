import Settle

@testable import SettleEtcd

/// What has gone between clients and a cluster.
struct Traffic: Sendable, Equatable {
    /// How many calls there were of each path. A stream is one.
    var calls: [String: Int] = [:]
    /// The bytes of the bodies, in both directions, without headers and without the connection's own.
    var bytes = 0
    /// How many keys were read, written or delivered.
    var keys = 0

    var requests: Int { calls.values.reduce(0, +) }

    static func - (new: Traffic, old: Traffic) -> Traffic {
        Traffic(
            calls: new.calls.merging(old.calls) { $0 - $1 }, bytes: new.bytes - old.bytes, keys: new.keys - old.keys)
    }
}

/// Carries the requests of many clients to a ``FakeEtcd``, and counts them.
final class CountingTransport: EtcdTransport {
    private let cluster: FakeEtcd
    private let traffic = LockedValue(Traffic())

    init(_ cluster: FakeEtcd) { self.cluster = cluster }

    /// Everything so far.
    var counted: Traffic { traffic.withLock { $0 } }

    func call(_ request: EtcdRequest) async throws -> EtcdAnswer {
        let (status, object) = cluster.answer(request.path, request.body, token: nil)
        let body = [UInt8](try object.json())
        traffic.withLock { traffic in
            traffic.calls[request.path, default: 0] += 1
            traffic.bytes += request.body.count + body.count
            traffic.keys += Self.keys(in: object)
        }
        return EtcdAnswer(status: status, body: body)
    }

    func stream(_ request: EtcdRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
        traffic.withLock { traffic in
            traffic.calls[request.path, default: 0] += 1
            traffic.bytes += request.body.count
        }
        let (stream, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let watcher = cluster.watch(request.body, token: nil) { [traffic] answer in
            guard let json = try? answer.json() else { return }
            let line = [UInt8](json) + [UInt8(ascii: "\n")]
            traffic.withLock { traffic in
                traffic.bytes += line.count
                traffic.keys += Self.keys(in: answer)
            }
            continuation.yield(line)
        }
        continuation.onTermination = { [cluster] _ in
            // Later: a stream may end while the cluster sends.
            Task { cluster.unwatch(watcher) }
        }
        return stream
    }

    private static func keys(in value: SettingValue) -> Int {
        switch value {
        case .dictionary(let entries):
            entries.reduce(0) { count, entry in
                switch (entry.key, entry.value) {
                case ("kvs", .array(let found)), ("events", .array(let found)): count + found.count
                case ("response_put", _): count + 1
                default: count + keys(in: entry.value)
                }
            }
        case .array(let elements): elements.reduce(0) { $0 + keys(in: $1) }
        default: 0
        }
    }
}

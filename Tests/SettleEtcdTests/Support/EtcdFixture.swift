import Settle
import SettleTesting
import Synchronization

@testable import SettleEtcd

/// A cluster and clients of it.
struct EtcdFixture {
    let cluster = FakeEtcd()
    let clock = ManualClock()
    var prefix = "/fleet/test/"

    func configuration(_ change: (inout EtcdConfiguration) -> Void = { _ in }) -> EtcdConfiguration {
        var configuration = EtcdConfiguration(endpoints: ["http://a", "http://b", "http://c"], prefix: prefix)
        configuration.clock = clock
        // The first member is the first endpoint.
        configuration.random = { 0.2 }
        change(&configuration)
        return configuration
    }

    func client(
        localCopy: (any Storage)? = nil, _ change: (inout EtcdConfiguration) -> Void = { _ in }
    ) -> (storage: EtcdStorage, transport: FakeTransport) {
        let transport = FakeTransport(cluster)
        return (EtcdStorage(configuration(change), transport: transport, localCopy: localCopy), transport)
    }
}

/// The events that a storage has reported.
final class EventLog: Sendable {
    private let stream: AsyncStream<StorageEvent>
    private let continuation: AsyncStream<StorageEvent>.Continuation
    /// All issues, also those that nobody has waited for.
    let issues = LockedValue<[StorageError]>([])

    init() { (stream, continuation) = AsyncStream.makeStream() }

    var handle: @Sendable (StorageEvent) -> Void {
        { [continuation, issues] event in
            if case .issue(let error) = event { issues.withLock { $0.append(error) } }
            continuation.yield(event)
        }
    }

    /// Waits for an event that meets a condition.
    @discardableResult
    func next(where condition: (StorageEvent) -> Bool) async -> StorageEvent? {
        for await event in stream where condition(event) { return event }
        return nil
    }
}

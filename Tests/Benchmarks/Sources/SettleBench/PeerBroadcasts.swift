import Configuration
import Synchronization

/// One `AsyncStream` per subscriber, which keeps the newest value.
final class StreamBroadcast: Broadcast {
    private let continuations = Mutex<[AsyncStream<Int>.Continuation]>([])

    func publish(_ value: Int) {
        let continuations = continuations.withLock { $0 }
        for continuation in continuations { continuation.yield(value) }
    }

    func listen(_ receive: @escaping @Sendable (Int) -> Void) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        continuations.withLock { $0.append(continuation) }
        for await value in stream { receive(value) }
    }
}

/// swift-configuration's mutable provider and `watchInt`.
struct ConfigurationBroadcast: Broadcast {
    private let fixture = ConfigurationFixture()

    func publish(_ value: Int) {
        fixture.provider.setValue(ConfigValue(.int(value), isSecret: false), forKey: "count")
    }

    func listen(_ receive: @escaping @Sendable (Int) -> Void) async {
        try? await fixture.reader.watchInt(forKey: "count", default: 0) { updates in
            for await value in updates { receive(value) }
        }
    }
}

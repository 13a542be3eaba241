import Settle
import SettleHTTP
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct WebEventsTests {
    private struct Pieces: WebEventSource {
        var rest: [[UInt8]]

        mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]? {
            rest.isEmpty ? nil : rest.removeFirst()
        }
    }

    /// A stream of given pieces.
    private final class Stream: WebEventStream {
        private let pieces: [[UInt8]]
        private let wait: @Sendable (Duration) async throws -> Void
        let stalls = LockedValue(0)
        let takenParts = LockedValue(0)

        init(_ pieces: [[UInt8]], sleep: @escaping @Sendable (Duration) async throws -> Void) {
            (self.pieces, wait) = (pieces, sleep)
        }

        func sleep(for duration: Duration) async throws { try await wait(duration) }

        func taken() { takenParts.withLock { $0 += 1 } }

        func stall() { stalls.withLock { $0 += 1 } }

        func end() {}

        func makeSource() -> any WebEventSource { Pieces(rest: pieces) }
    }

    @Test("A long piece comes in parts, and a client that takes each of them in time gets all") func slowClient()
        async throws
    {
        let clock = ManualClock()
        let long = (0..<40_000).map { UInt8($0 % 251) }
        let stream = Stream([long, [1, 2], []]) { try await clock.sleep(for: $0) }
        let events = WebEvents(stream)
        let parts = LockedValue<[[UInt8]]>([])
        try await events.send { part in
            // The limit of this part has begun. Together the parts take longer than one limit.
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(40))
            parts.withLock { $0.append(part) }
        }
        let taken = parts.withLock { $0 }
        #expect(taken.map(\.count) == [16_384, 16_384, 7_232, 2])
        #expect(Array(taken.joined()) == long + [1, 2])
        // The end of a piece is reported otherwise.
        #expect(stream.takenParts.withLock { $0 } == 2)
    }

    @Test("A write that ends at once begins no limit") func quickClient() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let sleeps = LockedValue(0)
        let events = WebEvents(Stream([[1], [2, 3]]) { _ in sleeps.withLock { $0 += 1 } })
        let taken = LockedValue<[UInt8]>([])
        try await events.send { part in taken.withLock { $0 += part } }
        #expect(taken.withLock { $0 } == [1, 2, 3])
        #expect(sleeps.withLock { $0 } == 0)
    }

    @Test("A client that does not take one part in time loses its stream") func stalledClient() async throws {
        let clock = ManualClock()
        let stream = Stream([[UInt8](repeating: 0, count: 20_000)]) { try await clock.sleep(for: $0) }
        let events = WebEvents(stream)
        let count = LockedValue(0)
        let (room, continuation) = AsyncStream.makeStream(of: Never.self)
        await #expect(throws: WebEvents.StalledClient.self) {
            try await events.send { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number == 2 else { return }
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .seconds(60))
                // Ends only when its task is cancelled.
                for await _ in room {}
            }
        }
        continuation.finish()
        #expect(count.withLock { $0 } == 2)
        #expect(stream.stalls.withLock { $0 } == 1)
    }
}

/// A sequence with an element after each interval of a clock. It ends when its task is cancelled.
struct Heartbeats: AsyncSequence, Sendable {
    let interval: Duration
    let clock: any Clock<Duration>

    func makeAsyncIterator() -> Iterator { Iterator(beats: self) }

    struct Iterator: AsyncIteratorProtocol {
        let beats: Heartbeats

        func next() async -> Void? {
            do {
                return try await beats.clock.sleep(for: beats.interval)
            } catch {
                return nil
            }
        }
    }
}

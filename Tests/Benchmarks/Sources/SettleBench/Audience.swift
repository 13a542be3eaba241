import Synchronization

/// Tasks that wait for a broadcast's values, and the times at which these arrive.
final class Audience<Source: Broadcast>: Sendable {
    let source: Source
    private let count: Int
    private let counter: Counter
    private let tasks: [Task<Void, Never>]
    private let newest = Atomic<Int>(1_000)

    /// What publishing one value costs, in nanoseconds.
    struct Times {
        /// Until the writer could continue.
        var writer: Double
        /// The part of it in which the writer was on a processor; on a busy machine a woken task may displace it.
        var writerOnProcessor: Double
        /// Until the last subscriber had the value.
        var delivery: Double
    }

    init(of source: Source, count: Int) {
        self.source = source
        self.count = count
        let counter = Counter()
        self.counter = counter
        tasks = (0..<count).map { _ in
            Task.detached {
                await source.listen { counter.received($0) }
            }
        }
        Stillness.wait()
        // Twice, because the first values may also create threads and buffers.
        if count > 0 { for _ in 0..<2 { _ = publish() } }
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    /// Publishes a value once all tasks are parked, and waits until all of them have it.
    func publish() -> Times {
        Stillness.wait()
        let value = newest.add(1, ordering: .relaxed).newValue
        counter.expect(value, by: count)
        let processorStart = threadNanoseconds()
        let start = nanoseconds()
        source.publish(value)
        let end = nanoseconds()
        let processorEnd = threadNanoseconds()
        let arrival = counter.wait()
        return Times(
            writer: Double(end - start), writerOnProcessor: Double(processorEnd - processorStart),
            delivery: Double(arrival) - Double(start))
    }

    /// Publishes many values as fast as possible. Nanoseconds per value, and whether all tasks ended on the last one.
    func burst(_ length: Int) -> (nanoseconds: Double, isComplete: Bool) {
        Stillness.wait()
        let first = newest.add(length, ordering: .relaxed).oldValue + 1
        counter.expect(first + length - 1, by: count)
        let start = nanoseconds()
        for value in first..<(first + length) { source.publish(value) }
        let end = nanoseconds()
        return (Double(end - start) / Double(length), count == 0 || counter.wait() != 0)
    }
}

import Settle

/// A query of the storage that runs beside its stream, so that neither heartbeats nor the end of the stream wait for a
/// storage that is slow. A stream has one at its beginning, and after a gap.
struct RunningQuery: Sendable {
    private let answer: LockedValue<HistoryAnswer?>
    private let task: Task<Void, Never>

    /// - Parameter watch: The wait of the stream, which the answer interrupts.
    init(_ query: HistoryQuery, waking watch: ContentWatch) {
        let answer = LockedValue<HistoryAnswer?>(nil)
        self.answer = answer
        task = Task {
            let found = await query.answer()
            answer.withLock { $0 = found }
            watch.interrupt()
        }
    }

    /// The answer, if it has arrived.
    var result: HistoryAnswer? { answer.withLock { $0 } }

    /// Waits for the answer.
    func finish() async { await task.value }
}

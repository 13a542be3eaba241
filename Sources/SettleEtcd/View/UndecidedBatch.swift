import Settle

/// A batch whose answer was lost: its transaction has landed, or may still land. Pure.
///
/// A barrier transaction decides it by replacing the marker that the batch compares. If the barrier succeeds, the batch
/// has not landed and can't any more. If not, the marker shows which of the two was first.
struct UndecidedBatch: Sendable {
    enum Outcome: Equatable {
        case stored, notStored
        /// Another process has written the marker.
        case replaced
    }

    let id: StorageBatch.ID
    /// The keys that it writes.
    let keys: [SettingKey]
    /// The revision of the marker that it compares.
    private let marker: Int64
    /// Distinguishes its barrier from others.
    private let barrier = UInt64.random(in: 1 ... .max)

    init(_ id: StorageBatch.ID, _ plan: BatchPlan) {
        self.id = id
        keys = plan.keys
        marker = plan.marker
    }

    /// Returns the barrier transaction. If it is repeated, it is recognised by its number.
    func barrier(over view: ClusterView, time: Double) -> TransactionRequest {
        let key = view.space.key(KeyName.marker(view.clientName))
        var replacement = view.mirror.marker(of: view.clientName).value ?? Marker(session: view.session)
        replacement.session = view.session
        replacement.barrier = barrier
        replacement.time = replacement.time ?? time
        return TransactionRequest(
            comparisons: [Comparison(key: key, target: .modified(at: marker))],
            success: [.put(key: key, value: replacement.bytes)], failure: [.range(RangeRequest(key: key))])
    }

    func outcome(of answer: TransactionAnswer, session: UInt64) -> Outcome {
        if answer.succeeded { return .notStored }
        let found = answer.ranges.first?.pairs.first.flatMap { Marker($0.value) }
        guard let found, found.session == session else { return .replaced }
        return found.barrier != barrier && found.batch == id ? .stored : .notStored
    }
}

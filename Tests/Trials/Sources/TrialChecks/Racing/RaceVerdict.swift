/// What is left of the writes of several processes to one file.
public struct RaceVerdict: Sendable, Hashable {
    /// How often a key lacked the value that its only writer gave it.
    public var lostKeys: Int { losses.count }
    /// The same in words.
    public var losses: [String] = []
    /// Acknowledged additions that the shared counter does not contain.
    public var lostUpdates = 0
    /// Additions in the counter that no writer made.
    public var inventedUpdates = 0

    public init() {}

    /// - Parameters:
    ///   - records: One for each writer.
    ///   - keys: The final value of each writer's own key.
    ///   - counter: The final value of the shared counter.
    public init(_ records: [WriterRecord], keys: [Int], counter: Int) {
        for (writer, (known, key)) in zip(records, keys).enumerated() {
            var record = known
            record.note(found: key)
            losses += record.losses.map { "The key of writer \(writer) lost a value. \($0)" }
        }
        lostUpdates = max(0, records.reduce(0) { $0 + $1.acknowledged } - counter)
        inventedUpdates = max(0, counter - records.reduce(0) { $0 + $1.attempted })
    }
}

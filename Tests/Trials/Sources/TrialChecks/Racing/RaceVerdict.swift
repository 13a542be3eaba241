/// What is left of the work of several writers of one file.
public struct RaceVerdict: Sendable, Hashable {
    /// How often a key did not have the value that its only writer gave it.
    public var lostKeys: Int { losses.count }
    /// The same in words.
    public var losses: [String] = []
    /// Acknowledged additions that the shared counter does not contain.
    public var lostUpdates = 0
    /// Additions that nobody made.
    public var inventedUpdates = 0

    public init() {}

    /// - Parameters:
    ///   - records: One for each writer.
    ///   - keys: The value found for each writer's own key in the end.
    ///   - counter: The shared counter found.
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

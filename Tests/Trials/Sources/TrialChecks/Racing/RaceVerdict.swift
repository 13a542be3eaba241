/// What is left of the work of several writers of one file.
public struct RaceVerdict: Sendable, Hashable {
    /// Keys that do not have the value that their only writer gave them.
    public var lostKeys = 0
    /// Acknowledged additions that the shared counter does not contain.
    public var lostUpdates = 0
    /// Additions that nobody made.
    public var inventedUpdates = 0

    public init() {}

    /// - Parameters:
    ///   - records: One for each writer.
    ///   - keys: The value found for each writer's own key.
    ///   - counter: The shared counter found.
    public init(_ records: [WriterRecord], keys: [Int], counter: Int) {
        lostKeys = zip(records, keys).count { record, key in
            !(record.lastAcknowledged...max(record.lastAttempted, record.lastAcknowledged)).contains(key)
        }
        lostUpdates = max(0, records.reduce(0) { $0 + $1.acknowledged } - counter)
        inventedUpdates = max(0, counter - records.reduce(0) { $0 + $1.attempted })
    }
}

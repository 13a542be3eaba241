/// The offsets of a journal's history records, without their contents.
///
/// Pure: it is given the results of scans. The records are written when a journal is begun, and never changed.
struct JournalPastIndex: Sendable {
    private struct Place {
        var position: UInt64
        var offset: Int
        /// The newest time of all records up to this one.
        var newestTime: Double
    }

    /// The generation of the journal.
    let generation: UInt64
    /// The offset of the record with all values.
    private let end: Int
    /// The keys whose values the records contain.
    private(set) var mentioned = MentionedKeys()
    private var places: [Place] = []

    init(_ header: JournalHeader) {
        generation = header.generation
        end = Int(clamping: header.base)
    }

    /// The number of records.
    var count: Int { places.count }

    mutating func add(_ scan: JournalScan) {
        for (offset, record) in scan.records {
            guard case .past(let transactions) = record.content else { continue }
            mentioned.add(transactions)
            places.append(
                Place(
                    position: transactions.position, offset: offset,
                    newestTime: max(transactions.time, places.last?.newestTime ?? transactions.time)))
        }
    }

    /// Returns the first record that ends after a position.
    func firstIndex(after position: UInt64) -> Int {
        places.firstIndexInOrder { $0.position > position }
    }

    /// Returns the position before the oldest of the last records that fit into a number of bytes; 0 if all of them do.
    func position(before bytes: Int) -> UInt64 {
        let first = places.firstIndexInOrder { $0.offset >= end - bytes }
        return first > 0 ? places[first - 1].position : 0
    }

    /// Returns the newest time of all records before one; `nil` if there are none.
    func newestTime(before index: Int) -> Double? { index > 0 ? places[index - 1].newestTime : nil }

    /// Returns the offset at which the first of some records begins, and at which the last of them ends at the latest.
    func bytes(of records: Range<Int>) -> Range<Int> {
        guard let first = records.first, let last = records.last else { return end..<end }
        return places[first].offset..<(last + 1 < places.count ? places[last + 1].offset : end)
    }

    func offsets(of records: Range<Int>) -> [Int] { places[records].map(\.offset) }
}

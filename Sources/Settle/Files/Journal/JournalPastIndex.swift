/// Where the records of the past stand in a journal, without what they say.
///
/// Pure: it is told what a scan of them has found. They are written when a journal is begun, and never changed.
struct JournalPastIndex: Sendable {
    private struct Place {
        var position: UInt64
        var offset: Int
        /// The newest time of all up to this record.
        var newestTime: Double
    }

    /// Of the journal.
    let generation: UInt64
    /// Where the journal has all values.
    private let end: Int
    /// The keys of which the records tell values.
    private(set) var mentioned = MentionedKeys()
    private var places: [Place] = []

    init(_ header: JournalHeader) {
        generation = header.generation
        end = Int(clamping: header.base)
    }

    /// How many records there are.
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

    /// The first record that ends behind a position.
    func firstIndex(after position: UInt64) -> Int {
        places.firstIndexInOrder { $0.position > position }
    }

    /// The position before the oldest of the last records that take no more bytes than given; 0 if all of them do.
    func position(before bytes: Int) -> UInt64 {
        let first = places.firstIndexInOrder { $0.offset >= end - bytes }
        return first > 0 ? places[first - 1].position : 0
    }

    /// The newest time of all records before one; `nil` if there are none.
    func newestTime(before index: Int) -> Double? { index > 0 ? places[index - 1].newestTime : nil }

    /// Where the first of some records begins, and where the last of them ends at the latest.
    func bytes(of records: Range<Int>) -> Range<Int> {
        guard let first = records.first, let last = records.last else { return end..<end }
        return places[first].offset..<(last + 1 < places.count ? places[last + 1].offset : end)
    }

    func offsets(of records: Range<Int>) -> [Int] { places[records].map(\.offset) }
}

/// Where the records of the kept past stand in its file, without what they say.
///
/// Pure: it is told what scans of the file have found, from its beginning on. The file is only appended to until
/// another one takes its place, so that what was found stays true.
struct HistoryArchiveIndex: Sendable {
    private struct Place {
        var position: UInt64
        var offset: UInt32
        /// How many transactions the file tells of up to the end of this record.
        var transactions: UInt32
        /// The newest time of all up to this record.
        var newestTime: Double
    }

    /// The place before the first record.
    let beginning: ChangeToken
    /// What is kept, as the file says it.
    private(set) var history: JournalHistory?
    /// The place behind the last record.
    private(set) var token: ChangeToken
    /// Where the next record belongs.
    private(set) var end: JournalPosition
    /// Of the oldest record.
    private(set) var oldestTime: Double?
    /// The keys of which the records tell values.
    private(set) var mentioned = MentionedKeys()
    private var places: [Place] = []

    init(_ header: JournalHeader) {
        beginning = header.beginning
        token = beginning
        end = .start(of: header.generation)
    }

    /// How many records there are.
    var count: Int { places.count }

    mutating func add(_ scan: JournalScan) {
        for (offset, record) in scan.records {
            switch record.content {
            case .history(let history): self.history = history
            case .past(let transactions) where transactions.position > token.position || places.isEmpty:
                token = transactions.token(in: beginning.history)
                if places.isEmpty { oldestTime = transactions.time }
                mentioned.add(transactions)
                let sum = Int(places.last?.transactions ?? 0) + transactions.transactionCount
                places.append(
                    Place(
                        position: transactions.position, offset: UInt32(offset),
                        transactions: UInt32(clamping: sum),
                        newestTime: max(transactions.time, places.last?.newestTime ?? transactions.time)))
            default: break
            }
        }
        end = scan.end
    }

    /// The first record that ends behind a position.
    func firstIndex(after position: UInt64) -> Int {
        places.firstIndexInOrder { $0.position > position }
    }

    /// The newest time of all records before one; `nil` if there are none.
    func newestTime(before index: Int) -> Double? { index > 0 ? places[index - 1].newestTime : nil }

    /// Where the first of some records begins, and where the last of them ends at the latest.
    func bytes(of records: Range<Int>) -> Range<Int> {
        guard let first = records.first, let last = records.last else { return end.offset..<end.offset }
        let behind = last + 1 < places.count ? Int(places[last + 1].offset) : end.offset
        return Int(places[first].offset)..<behind
    }

    func offsets(of records: Range<Int>) -> [Int] { places[records].map { Int($0.offset) } }

    /// Whether the file exceeds its bounds so far that it is to be written anew.
    func exceeds(_ policy: HistoryPolicy, at time: Double) -> Bool {
        let transactions = Int(places.last?.transactions ?? 0)
        return transactions > policy.transactions + policy.transactions / 2
            || bytes(of: 0..<count).count > policy.bytes + policy.bytes / 2
            || time - (oldestTime ?? time) > Double(policy.age.seconds) * 1.5
    }
}

extension JournalTransactions {
    /// How many transactions are known of.
    var transactionCount: Int { max(1, list?.count ?? 1) }
}

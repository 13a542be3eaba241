/// What the records of a journal tell of the transactions behind its beginning, up to a place.
///
/// Pure: it is told what scans have found, from the record with all values on.
struct JournalTransactionList: Sendable {
    /// Where the history stands before them.
    let beginning: ChangeToken
    private(set) var end: JournalPosition
    private(set) var records: [StoredRecord] = []
    /// What stands at the keys, for records that don't say it.
    private var replay = JournalReplay()

    init(_ header: JournalHeader) {
        beginning = header.beginning
        end = .start(of: header.generation)
        end.offset = Int(clamping: header.base)
    }

    /// Whether nothing has been added yet.
    var isEmpty: Bool { end.chainOffset == JournalHeader.generationOffset }

    mutating func add(_ scan: JournalScan) {
        for (offset, record) in scan.records {
            if let batch = record.content.batch, let transactions = batch.transactions {
                let list = transactions.list ?? [batch.merged { replay.tree[$0] }].compactMap(\.self)
                records.append(StoredRecord(token: transactions.token(in: beginning.history), transactions: list))
            }
            replay.add(record.content, at: offset)
        }
        end = scan.end
    }
}

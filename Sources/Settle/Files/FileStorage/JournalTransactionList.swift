/// The transactions after a journal's base, up to a position.
///
/// Pure: it is given the records that scans have found, beginning with the base.
struct JournalTransactionList: Sendable {
    /// The token before them.
    let beginning: ChangeToken
    private(set) var end: JournalPosition
    private(set) var records: [StoredRecord] = []
    /// The current values, for records that don't list their old values.
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

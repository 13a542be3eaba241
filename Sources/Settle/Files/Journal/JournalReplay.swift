/// The values of a journal, and its other state.
package struct JournalReplay: Sendable {
    /// All values.
    package private(set) var tree = SettingTree()
    package private(set) var state = JournalState()
    /// Whether the record with all values could be read; otherwise the tree has only the values of the others.
    package private(set) var hasBase = false

    package init() {}

    /// - Parameter records: The records of a journal, in order.
    package init(_ records: some Sequence<(offset: Int, record: JournalRecord)>) {
        for (offset, record) in records { add(record.content, at: offset) }
    }

    /// - Parameter log: Loses the values of its base, so that there is no other copy of them.
    init(_ log: inout JournalReading) {
        guard let (offset, base) = log.takeBase() else {
            self.init(log.records)
            return
        }
        self.init()
        add(.base(base), at: offset)
        // By index: a loop over the records would copy each of them.
        for index in log.records.indices.dropFirst() {
            add(log.records[index].record.content, at: log.records[index].offset)
        }
    }

    package mutating func add(_ record: JournalRecord.Content, at offset: Int) {
        state.add(record, at: offset, over: tree)
        if case .base(let base) = record { (tree, hasBase) = (base.tree, true) }
        if let batch = record.batch { tree.apply(batch) }
    }
}

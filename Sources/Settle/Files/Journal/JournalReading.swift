/// The result of reading a journal: its records from the base on, and what is wrong with them.
struct JournalReading {
    var records: [(offset: Int, record: JournalRecord)] = []
    var damage: [JournalDamage] = []
    /// Whether bytes that are not a record follow the last one: the end is missing.
    var isTorn = false
    /// Whether the whole journal is damaged, or was never begun.
    var isUnusable = false
    /// The error if a newer version of this library has written it.
    var newerVersion: JournalError?
    /// Whether none of its syncs is known yet.
    var lacksDurableEnd = false
}

extension JournalReading {
    /// Creates a reading without records.
    init(_ error: JournalError) {
        isUnusable = true
        switch error {
        case .newerVersion, .newerRecord: newerVersion = error
        case .empty: break
        case .damaged: damage = [JournalDamage(offset: 0, keys: nil)]
        }
    }

    init(_ scan: JournalScan) {
        if scan.tail == .newer {
            self.init(.newerRecord(offset: scan.end.offset))
            return
        }
        self.init()
        records = scan.records
        // A journal begins with a record. One without was made by a process that ended before writing it.
        isUnusable = scan.records.isEmpty && scan.damage.isEmpty
        damage = scan.damage
        isTorn = scan.tail == .torn
        lacksDurableEnd = records.indices.allSatisfy { records[$0].record.durableEnd == 0 }
    }

    /// The offset up to which the journal is known to be on stable storage.
    var durableEnd: Int {
        // By index: a loop over the records would copy each of them.
        records.indices.reduce(0) { max($0, records[$1].record.durableEnd) }
    }

    /// The record with all values.
    var base: JournalBase? {
        guard case .base(let base)? = records.first?.record.content else { return nil }
        return base
    }

    /// Returns the base and gives up its own copy, so that changing its values copies nothing.
    mutating func takeBase() -> (offset: Int, base: JournalBase)? {
        guard let base else { return nil }
        records[0].record.content = .base(JournalBase(tree: SettingTree(), mirrors: base.mirrors, news: base.news))
        return (records[0].offset, base)
    }

    /// Returns those of other values that this journal has had at some time, and at the other keys its final values.
    func values(of other: SettingTree, over tree: SettingTree) -> SettingTree {
        let beginning = base?.tree ?? SettingTree()
        var values = SettingTree()
        for key in other.leafKeys { values[key] = beginning[key] == other[key] ? other[key] : tree[key] }
        for (_, record) in records {
            for entry in record.batch?.entries ?? [] where entry.value == other[entry.key] {
                values[entry.key] = entry.value
            }
        }
        return values
    }

    /// Returns whether a token of a history belongs to this journal.
    func contains(_ token: ChangeToken, _ header: JournalHeader?) -> Bool {
        header?.beginning == token
            || records.contains { $0.record.content.transactions?.token(in: token.history) == token }
    }
}

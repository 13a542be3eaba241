import Testing

@testable import Settle

/// What the values that a journal is made of say where there is little to say.
@Suite struct JournalPartsTests {
    private static let version = FileVersion(hash: 1, size: 2)
    private static let transactions = JournalTransactions(
        position: 1, count: 1, time: 7,
        list: [StoredTransaction(time: 7, author: TransactionAuthor(), origin: .local, mutations: nil)])

    private static let others: [JournalRecord.Content] = [
        .base(JournalBase(tree: SettingTree(), mirrors: [JournalBase.Mirror(version)])), .mirroring(version),
        .mirrored(version), .kept(JournalBatch(revision: 0)), .past(transactions), .state(JournalStateKeys()),
        .history(JournalHistory(policy: .keep())),
    ]

    @Test(
        "A record without a batch is the same without lists, and whatever is said of its batch", arguments: others
    )
    func withoutBatch(content: JournalRecord.Content) {
        #expect(content.unlisted == content && content.changingBatch { $0.author = "x" } == content)
    }

    @Test("Only an edit, a union and a policy say something else once more is known") func brought() {
        var state = JournalState(of: Self.version)
        for content in Self.others { #expect(content.brought(upTo: state) == content) }
        let policy = JournalRecord.Content.history(JournalHistory(policy: .keep(), secrets: ["a"]))
        state.history = JournalHistory(policy: .none)
        #expect(policy.brought(upTo: state) == .history(JournalHistory(policy: .none, secrets: ["a"])))
    }

    @Test("A transaction of which nothing is known has a size, and a record of none a time") func sizes() {
        #expect(Self.transactions.list?.first?.roughSize == 64)
        let record = StoredRecord(token: ChangeToken(history: 1, position: 1, checksum: 1), transactions: [])
        #expect(JournalTransactions(record).time == 0)
    }

    @Test("The largest of several entries is found") func largest() {
        let entries = [("a", 10), ("b", 30), ("c", 20)].map { name, size in
            JournalEntry(key: SettingKey(name: name), value: .string(String(repeating: "x", count: size)))
        }
        #expect(JournalBatch(revision: 1, entries: entries).largestEntry?.key == "b")
        #expect(JournalBatch(revision: 1).largestEntry == nil)
    }

    @Test("A list of no earlier values is none") func noValues() {
        var kept = LastGoodValues()
        kept.add(.integer(1), at: "a")
        kept.decide(JournalBatch(revision: 0, entries: [JournalEntry(key: "a", value: .array([]))]))
        #expect(kept.isEmpty && !kept.isDecided(.integer(1), at: "a"))
    }

    @Test("Of what a file is said to have at a key, the last counts") func twice() {
        let difference = MirrorDifference(
            [1, 2].map { JournalEntry(key: "a.b", value: .integer($0)) })
        #expect(difference.entries == [JournalEntry(key: "a.b", value: .integer(2))])
    }

    @Test("Several records of unknown keys are counted") func unnamed() {
        func text(_ damage: [JournalDamage]) -> String {
            JournalReading(damage: damage).description(FilePath("/journal"))
        }
        let unnamed = [100, 200].map { JournalDamage(offset: $0, keys: nil) }
        #expect(text(unnamed).contains("The keys of 2 of its records are unknown."))
        #expect(text([unnamed[0]]).contains("The keys of one of its records are unknown."))
    }

    @Test("What has become state with all around it is not lacking in the file that has a part of it") func widened() {
        var state = StateFile()
        let tree = SettingTree(["a": .dictionary(["b": .dictionary(["c": .integer(1)]), "d": .integer(2)])])
        state.add(JournalStateKeys(added: ["a.b"]), at: 0, over: tree)
        state.didRead(JournalState.Mirror(version: Self.version))
        state.add(JournalStateKeys(added: ["a"]), at: 0, over: tree)
        #expect(state.keys == ["a"])
        #expect(state.versions.first?.difference.entries == [JournalEntry(key: "a.d", value: nil)])
    }

    @Test("An edit of a file of state that was never written is all that is in it") func unwritten() {
        var state = StateFile()
        state.add(JournalStateKeys(added: ["a"]), at: 0, over: SettingTree())
        let file = SettingTree(["a": .integer(1)])
        let record = state.record(ofEdit: file, Self.version, over: SettingTree()) { $0 == $1 }
        #expect(record.batch?.values == ["a": .integer(1)])
    }

    @Test("A batch that could not be synced twice counts as it was the second time") func unsynced() {
        var values = ValuesInForce()
        for number in [1, 2] as [Int64] {
            values.didNotSync(StorageBatch(revision: 1, values: ["a": .integer(number)]))
        }
        let next = StorageBatch(revision: 2, values: ["a": .integer(3)])
        #expect(values.valuesReplaced(by: next) == ["a": .integer(2)])
    }

    @Test("Who holds a lock is another process if the system does not say which") func holder() {
        #expect(StorageError.holder(nil) == "another process" && StorageError.holder(7) == "process 7")
    }

    @Test("A change at a whole second shows only two seconds later") func wholeSecond() {
        let changed = FileStatus(
            kind: .file, size: 1, permissions: 0, identity: .init(device: 0, file: 0),
            statusChanged: 978_307_200_000_000_000 + 10_000_000_000)
        let signature = FileSignature(changed)
        #expect(!signature.isSettled(at: 11) && !signature.isSettled(at: 12) && signature.isSettled(at: 12.1))
    }

    @Test("A process that knew no history puts nothing beside the values of another journal") func noUnion() {
        let known = KnownJournal(
            token: nil, end: .start(of: 3), lineage: JournalLineage(), tree: SettingTree(["a": .integer(1)]),
            mirrors: [])
        #expect(known.union(over: SettingTree(), JournalState(), from: SettingTree(), []) { $0 == $1 } == nil)
    }

    @Test("A record that says nothing of transactions tells nothing of them") func silent() {
        var recent = RecentTransactions()
        let start = ChangeToken(history: 1, position: 0, checksum: 0)
        recent.begin(at: start)
        recent.add(
            RecentTransactions.Item(
                token: ChangeToken(history: 1, position: 1, checksum: 1), batch: JournalBatch(revision: 1),
                replaced: [:], size: 10))
        let told = recent.records(before: 9, limit: 9)
        #expect(told.map(\.transactions) == [[]])
    }
}

import Testing

@testable import Settle

@Suite struct JournalContentsTests {
    private let old = FileVersion(of: [1])
    private let new = FileVersion(of: [2])

    private func batch(_ key: SettingKey, _ value: Int64?, revision: UInt64 = 1) -> JournalBatch {
        let entry = JournalEntry(key: key, value: value.map { .integer($0) }, before: .value(.integer(0)))
        return JournalBatch(revision: revision, entries: [entry])
    }

    private func tree(_ contents: JournalContents) -> SettingTree {
        var tree = SettingTree()
        contents.overlay.apply(to: &tree)
        return tree
    }

    @Test("Values count as missing from the file until their checkpoint is confirmed") func checkpoint() {
        var contents = JournalContents()
        contents.add(.values(batch("a", 1)))
        contents.add(.checkpoint(new, coveredEnd: 9))
        #expect(tree(contents) == SettingTree(["a": .integer(1)]))
        contents.add(.checkpointed(new, coveredEnd: 9))
        #expect(contents.overlay.isEmpty && contents.coveredEnd == 9)
    }

    @Test("Confirming the old version after a failed checkpoint keeps the values beyond the file")
    func failedCheckpoint() {
        var contents = JournalContents()
        contents.add(.checkpointed(old, coveredEnd: 9))
        contents.add(.values(batch("a", 1)))
        contents.add(.checkpoint(new, coveredEnd: 20))
        contents.add(.checkpointed(old, coveredEnd: 9))
        #expect(tree(contents) == SettingTree(["a": .integer(1)]) && contents.coveredEnd == 9)
    }

    @Test("An edit keeps the value that it replaces until a program writes the key") func kept() {
        var contents = JournalContents()
        contents.add(.values(batch("a", 1)))
        contents.add(.edited(new, batch("a", 2, revision: 0)))
        #expect(contents.kept.candidates(at: "a", insteadOf: nil) == [.integer(1)])
        #expect(
            contents.lastingRecords == [
                .kept(JournalBatch(revision: 0, entries: [LastGoodValues.entry("a", [.integer(1)])]))
            ])
        contents.add(.values(batch("a", 3, revision: 0)))
        #expect(!contents.kept.isEmpty, "That was repeated, not written.")
        contents.add(.values(batch("a", 4)))
        #expect(contents.lastingRecords.isEmpty)
    }

    @Test("An edit that removes a key keeps no value of it") func removed() {
        var contents = JournalContents()
        contents.add(.kept(JournalBatch(revision: 0, entries: [LastGoodValues.entry("a", [.integer(1)])])))
        contents.add(.edited(new, batch("a", nil, revision: 0)))
        #expect(contents.kept.isEmpty)
    }

    @Test("A new journal repeats unconfirmed checkpoints, each after the values that it covers") func begun() {
        var contents = JournalContents()
        let records: [(offset: Int, JournalRecord.Content)] = [
            (0, .values(batch("a", 1))), (9, .checkpoint(new, coveredEnd: 9)), (18, .values(batch("b", 2))),
        ]
        for (_, content) in records { contents.add(content) }
        let beginning = contents.beginning(
            of: old, after: old, records.map { ($0.offset, JournalRecord($0.1, durableEnd: 0)) },
            begun: [PendingRepairs.Checkpoint(version: new, coveredEnd: 9)], isContinued: true)
        #expect(
            beginning == [
                .checkpointed(old, coveredEnd: JournalFile.here), .values(batch("a", 1, revision: 0)),
                .checkpoint(new, coveredEnd: JournalFile.here), .values(batch("b", 2, revision: 0)),
            ])
    }

    @Test("A first journal begins with the version alone, and one that continues another also with a batch")
    func emptyBeginning() {
        let contents = JournalContents()
        let version = JournalRecord.Content.checkpointed(new, coveredEnd: JournalFile.here)
        #expect(contents.beginning(of: new, after: old, [], isContinued: false) == [version])
        let nothing = JournalRecord.Content.values(JournalBatch(revision: 0))
        #expect(contents.beginning(of: new, after: old, [], isContinued: true) == [version, nothing])
    }

    @Test("A new journal leads from the previous version to the current one and beyond") func beginning() {
        let records: [(offset: Int, record: JournalRecord)] = [
            (10, JournalRecord(.checkpointed(old, coveredEnd: 10), durableEnd: 0)),
            (20, JournalRecord(.values(batch("a", 1)), durableEnd: 0)),
            (30, JournalRecord(.checkpointed(new, coveredEnd: 30), durableEnd: 0)),
            (40, JournalRecord(.values(batch("b", 2)), durableEnd: 0)),
        ]
        var contents = JournalContents()
        for (_, record) in records { contents.add(record.content) }
        #expect(
            contents.beginning(of: new, after: old, records, isContinued: true) == [
                .checkpointed(old, coveredEnd: JournalFile.here), .values(batch("a", 1, revision: 0)),
                .checkpointed(new, coveredEnd: JournalFile.here), .values(batch("b", 2, revision: 0)),
            ])
    }

    @Test("A new journal repeats the last value of each key before and after a whole tree") func history() {
        let whole = JournalBatch(revision: 0, tree: SettingTree(["a": .integer(3)]))
        let contents = [
            JournalRecord.Content.values(batch("a", 1)), .values(batch("a", 2)), .edited(new, whole),
            .values(batch("b", 4)), .values(batch("b", 5)),
        ]
        var journal = JournalContents()
        for content in contents { journal.add(content) }
        let records = contents.enumerated().map {
            (offset: $0.offset, record: JournalRecord($0.element, durableEnd: 0))
        }
        #expect(
            journal.beginning(of: new, after: new, records, isContinued: true) == [
                .checkpointed(new, coveredEnd: JournalFile.here), .values(batch("a", 2, revision: 0)), .values(whole),
                .values(batch("b", 5, revision: 0)),
            ])
    }

    @Test("What a load finds in the file overrides what earlier records say of it") func learning() {
        var overlay = JournalOverlay()
        overlay.add(batch("a", 2, revision: 1))
        overlay.learn(SettingTree(["a": .integer(1)]))
        var newest = SettingTree(["a": .integer(3)])
        overlay.apply(to: &newest)
        #expect(overlay.base(of: newest) == SettingTree(["a": .integer(1)]))
        overlay.learn(SettingTree())
        #expect(overlay.base(of: newest) == SettingTree())
    }

    @Test("Without checkpoints, a long journal is compacted, and less often as it grows") func growth() {
        var growth = JournalGrowth()
        func isDue(_ size: Int, _ fileSize: Int = 0) -> Bool { growth.isDue(at: size, limit: 10, fileSize: fileSize) }
        #expect(!isDue(10_000))
        growth.lacksCheckpoint = true
        #expect(!isDue(160) && !isDue(161, 161) && isDue(161))
        #expect(!isDue(322) && isDue(323))
        growth.didBegin(with: 200)
        #expect(!isDue(800) && isDue(801))
    }
}

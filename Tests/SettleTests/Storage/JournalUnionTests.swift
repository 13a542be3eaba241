import Testing

@testable import Settle

/// What a process puts over the values of a journal that began without its own.
@Suite struct JournalUnionTests {
    private static let place = ChangeToken(history: 7, position: 5, checksum: 50)

    private static func union(
        _ ours: SettingValue.Entries, over found: SettingValue.Entries, from ancestor: SettingValue.Entries = [:],
        files: [SettingValue.Entries] = [], file: FileVersion = .absent, resets: UInt32 = 1,
        _ records: [JournalRecord.Content] = []
    ) -> JournalUnion? {
        let tree = SettingTree(ours)
        var known = KnownJournal(
            token: place, end: JournalPosition(generation: 3, offset: 640, chain: 9, chainOffset: 0),
            lineage: JournalLineage(resets: resets), tree: tree, mirrors: [])
        known.mirrors = files.enumerated().map { index, file in
            let difference = MirrorDifference(from: tree, to: SettingTree(file)) { $0 == $1 }
            return JournalState.Mirror(version: FileVersion(of: [UInt8(index)]), difference: difference)
        }
        known.file = file
        return known.union(
            over: SettingTree(found), JournalState(of: FileVersion(of: [9])), from: SettingTree(ancestor),
            records.map { JournalRecord($0, durableEnd: 64) }
        ) { $0 == $1 }
    }

    private static func values(
        _ ours: SettingValue.Entries, over found: SettingValue.Entries, from ancestor: SettingValue.Entries = [:],
        files: [SettingValue.Entries] = [], resets: UInt32 = 1, _ records: [JournalRecord.Content] = []
    ) -> [SettingKey: SettingValue?] {
        guard let union = union(ours, over: found, from: ancestor, files: files, resets: resets, records) else {
            return [:]
        }
        #expect(union.origin == place && union.mirrors.isEmpty && !union.batch.entries.isEmpty)
        return union.batch.values
    }

    private static func batch(_ values: [SettingKey: SettingValue?]) -> JournalBatch {
        JournalBatch(revision: 1, entries: values.sorted(by: \.key).map { JournalEntry(key: $0.key, value: $0.value) })
    }

    @Test("What has been written since the removal is newer, also in a journal that has taken the place of that one")
    func news() {
        func values(_ news: JournalBase.News) -> [SettingKey: SettingValue?] {
            let found: SettingValue.Entries = ["a": .integer(5), "b": .integer(0), "c": .integer(0)]
            let base = JournalBase(tree: SettingTree(), mirrors: [JournalBase.Mirror(.absent)], news: news)
            return Self.values(
                ["a": .integer(1), "b": .integer(2), "c": .integer(0)], over: found, from: found, [.base(base)])
        }
        #expect(values(JournalBase.News(keys: ["a"])) == ["b": .integer(2)])
        #expect(values(JournalBase.News(keys: ["a", "b"])) == [:])
        func place(_ position: UInt64, of history: UInt64 = 7) -> ChangeToken {
            ChangeToken(history: history, position: position, checksum: 10 * position)
        }
        let ours: [SettingKey: SettingValue?] = ["a": .integer(1), "b": .integer(2)]
        #expect(values(JournalBase.News(united: place(4))) == ours)
        #expect(values(JournalBase.News(united: place(5))) == [:])
        #expect(values(JournalBase.News(united: place(6))) == [:])
        #expect(values(JournalBase.News(united: place(6, of: 8))) == ours)
    }

    @Test("All that a journal has is newer if it began without any, and what was edited there if no file here has it")
    func edits() {
        func values(_ news: JournalBase.News) -> [SettingKey: SettingValue?] {
            let tree = SettingTree(["a": .integer(1), "b": .integer(5)])
            let base = JournalBase(tree: tree, mirrors: [JournalBase.Mirror(.absent)], news: news)
            return Self.values(
                ["a": .integer(2), "b": .integer(3)], over: tree.root, from: tree.root, files: [["a": .integer(1)]],
                [.base(base)])
        }
        #expect(values(.everything) == [:])
        #expect(values(JournalBase.News(edited: ["a", "b"])) == ["a": .integer(2)])
        #expect(values(JournalBase.News(keys: ["a"], edited: ["a"])) == ["b": .integer(3)])
    }

    @Test("What was put there before a renewal by one that knew less counts as known") func united() {
        func values(_ place: ChangeToken, resets: UInt32 = 1) -> [SettingKey: SettingValue?] {
            let news = JournalBase.News(keys: ["b"], united: place, unitedKeys: ["a", "b", "gone"])
            let tree = SettingTree(["a": .integer(8), "b": .integer(4), "c": .integer(2), "gone": .integer(0)])
            let base = JournalBase(tree: tree, mirrors: [JournalBase.Mirror(.absent)], news: news)
            return Self.values(
                ["a": .integer(10), "b": .integer(11)], over: tree.root, resets: resets, [.base(base)])
        }
        let place = ChangeToken(history: 7, position: 4, checksum: 1)
        #expect(values(place) == ["a": .integer(10)])
        #expect(values(place, resets: 0) == ["a": .integer(10), "gone": nil])
        #expect(values(ChangeToken(history: 8, position: 4, checksum: 1)) == [:])
    }

    private static func united(_ values: [SettingKey: SettingValue?], upTo place: ChangeToken) -> JournalRecord.Content
    {
        .united(JournalUnion(origin: place, batch: batch(values)))
    }

    @Test("What this process has changed is put there, unless the others have changed it too") func changes() {
        #expect(
            Self.values(["a": .integer(1), "b": .integer(2)], over: ["c": .integer(3)]) == [
                "a": .integer(1), "b": .integer(2),
            ])
        #expect(
            Self.values(
                ["a": .integer(1), "b": .integer(2)], over: ["a": .integer(5), "b": .integer(0)],
                from: ["a": .integer(0), "b": .integer(0)]) == ["b": .integer(2)])
        #expect(
            Self.values(
                ["b": .integer(2)], over: ["a": .integer(0), "b": .integer(0)],
                from: ["a": .integer(0), "b": .integer(0)]) == ["a": nil, "b": .integer(2)])
        #expect(Self.values(["a": .integer(0)], over: ["a": .integer(0)], from: ["a": .integer(0)]) == [:])
    }

    @Test("What others have written counts, also if it is what both began with") func written() {
        let records: [JournalRecord.Content] = [
            .values(Self.batch(["a": .integer(5)])), .values(Self.batch(["a": .integer(0)])),
        ]
        #expect(
            Self.values(
                ["a": .integer(1), "b": .integer(2)], over: ["a": .integer(0), "b": .integer(0)],
                from: ["a": .integer(0), "b": .integer(0)], records) == ["b": .integer(2)])
    }

    @Test("Neither a value within one of theirs is put there, nor one around it") func nesting() {
        let ours: SettingValue.Entries = [
            "a": .dictionary(["x": .integer(1)]), "b": .integer(2), "c": .dictionary(["x": .integer(1)]),
        ]
        let found: SettingValue.Entries = [
            "a": .integer(5), "b": .dictionary(["y": .integer(6)]), "c": .dictionary(["y": .integer(7)]),
        ]
        #expect(Self.values(ours, over: found) == ["c.x": .integer(1)])
    }

    @Test("What a process has put there that knew less counts as known, and of one that knew more as newer")
    func places() {
        let ours: [SettingKey: SettingValue?] = ["a": .integer(10)]
        let removed: [SettingKey: SettingValue?] = ["a": .integer(10), "gone": nil]
        for (history, position, resets, expected) in [
            (7, 4, 1, ours), (7, 4, 0, removed), (7, 5, 1, ours), (7, 5, 0, removed), (8, 4, 0, [:]),
        ] {
            let place = ChangeToken(history: UInt64(history), position: UInt64(position), checksum: 1)
            let records = [
                Self.united(["a": .integer(8), "b": .integer(9), "gone": .integer(0)], upTo: place),
                .values(Self.batch(["b": .integer(4)])),
            ]
            let union = Self.values(
                ["a": .integer(10), "b": .integer(11)],
                over: ["a": .integer(8), "b": .integer(4), "c": .integer(2), "gone": .integer(0)],
                resets: UInt32(resets), records)
            #expect(union == expected, "\(place), \(resets)")
        }
    }

    @Test("Who knows no more than one that has put its values there has nothing to add, also not what that removed")
    func later() {
        for place in [Self.place, ChangeToken(history: 7, position: 6, checksum: 1)] {
            let records = [Self.united(["a": .integer(8)], upTo: place)]
            #expect(Self.values(["a": .integer(7), "b": .integer(1)], over: ["a": .integer(8)], records) == [:])
        }
    }

    @Test("What stands in a file that is known here is no news") func files() {
        let edit = JournalRecord.Content.edited(
            JournalBase.Mirror(FileVersion(of: [9])), Self.batch(["a": .integer(2), "b": .integer(7)]))
        let union = Self.values(
            ["a": .integer(15), "b": .integer(16), "c": .integer(17)], over: ["a": .integer(2), "b": .integer(7)],
            files: [["a": .integer(2), "b": .integer(3)], ["c": .integer(4)]], [edit])
        #expect(union == ["a": .integer(15), "c": .integer(17)])
        // A program has written the same.
        let records = [edit, .values(Self.batch(["a": .integer(2)]))]
        #expect(
            Self.values(
                ["a": .integer(15), "c": .integer(17)], over: ["a": .integer(2), "b": .integer(7)],
                files: [["a": .integer(2), "b": .integer(3)]], records)
                == ["c": .integer(17)])
    }

    @Test("After a removal that did not know of this process, only what has come since counts") func removal() {
        let removal = JournalRecord.Content.edited(JournalBase.Mirror(.absent), Self.batch(["a": nil, "b": nil]))
        let records = [.values(Self.batch(["b": .integer(5)])), removal, .values(Self.batch(["a": .integer(6)]))]
        #expect(
            Self.values(
                ["a": .integer(1), "b": .integer(2), "c": .integer(3)], over: ["a": .integer(6)],
                from: ["c": .integer(3)], records) == ["b": .integer(2), "c": .integer(3)])
    }

    @Test("The file may be the version that this process knew, if the journal has none of it") func mirror() {
        let (known, other) = (FileVersion(of: [0]), FileVersion(of: [9]))
        func union(_ file: FileVersion) -> JournalUnion? {
            Self.union(
                ["a": .integer(1)], over: ["a": .integer(1), "b": .integer(2)], files: [["a": .integer(0)]], file: file)
        }
        #expect(
            union(known)?.mirrors == [
                JournalBase.Mirror(
                    known, [JournalEntry(key: "a", value: .integer(0)), JournalEntry(key: "b", value: nil)])
            ])
        #expect(union(known)?.batch.entries == [] && union(other) == nil && union(.absent) == nil)
    }

    @Test("State that stands in a version of its file known here is no news") func state() {
        let ours = SettingTree(["a": .integer(1), "b": .integer(8)])
        var known = KnownJournal(
            token: Self.place, end: JournalPosition(generation: 3, offset: 640, chain: 9, chainOffset: 0),
            lineage: JournalLineage(), tree: ours, mirrors: [])
        known.stateFile.add(JournalStateKeys(added: ["b"]), at: 0, over: ours)
        func union(
            over found: SettingTree, from ancestor: SettingTree = SettingTree()
        ) -> [SettingKey: SettingValue?]? {
            known.union(over: found, JournalState(of: FileVersion(of: [9])), from: ancestor, []) { $0 == $1 }?
                .batch.values
        }
        let found = SettingTree(["a": .integer(1), "b": .integer(1)])
        #expect(union(over: found) == nil)
        // The readable file has been written before it was state, and then without it.
        func mirror(_ value: SettingValue?) -> JournalState.Mirror {
            let difference = MirrorDifference([JournalEntry(key: "b", value: value)])
            return JournalState.Mirror(version: FileVersion(of: [2]), difference: difference)
        }
        known.mirrors = [mirror(.integer(1))]
        #expect(union(over: found) == ["b": .integer(8)])
        known.mirrors = [mirror(nil)]
        #expect(union(over: found) == nil && union(over: SettingTree(["a": .integer(1)]), from: found) == nil)
        let difference = MirrorDifference([JournalEntry(key: "b", value: .integer(1))])
        known.stateFile.didRead(JournalState.Mirror(version: FileVersion(of: [1]), difference: difference))
        #expect(union(over: found) == ["b": .integer(8)])
        #expect(union(over: SettingTree(["a": .integer(1), "b": .integer(2)])) == nil)
    }
}

import Testing

@testable import Settle

@Suite struct JournalStateTests {
    /// The records of a journal, one after the other, each 100 bytes long.
    private struct Run {
        var tree = SettingTree()
        var state = JournalState()
        var offset = 100

        @discardableResult
        mutating func add(_ record: JournalRecord.Content) -> Int {
            state.add(record, at: offset, over: tree)
            if case .base(let base) = record { tree = base.tree }
            for entry in record.batch?.entries ?? [] { tree[entry.key] = entry.value }
            defer { offset += 100 }
            return offset
        }

        @discardableResult
        mutating func set(_ key: SettingKey, _ value: Int64?, revision: UInt64 = 1) -> Int {
            add(.values(JournalStateTests.batch(key, value, revision: revision)))
        }

        /// Somebody has changed one value of the version of the file that was known first.
        @discardableResult
        mutating func edit(_ version: FileVersion, _ key: SettingKey, _ value: Int64) -> Int {
            var (file, values) = (state.mirrors[0].difference.mirror(of: tree), tree)
            (file[key], values[key]) = (.integer(value), .integer(value))
            let difference = MirrorDifference(from: values, to: file) { $0 == $1 }
            return add(
                .edited(JournalBase.Mirror(version, difference.entries), JournalStateTests.batch(key, value)))
        }

        /// What each version of the file has.
        var files: [FileVersion: SettingTree] {
            Dictionary(state.mirrors.map { ($0.version, $0.difference.mirror(of: tree)) }) { $1 }
        }
    }

    private static func batch(_ key: SettingKey, _ value: Int64?, revision: UInt64 = 0) -> JournalBatch {
        JournalBatch(revision: revision, entries: [JournalEntry(key: key, value: value.map { .integer($0) })])
    }

    private static func tree(_ values: [String: Int64]) -> SettingTree {
        SettingTree(SettingValue.Entries(uniqueKeysWithValues: values.map { ($0.key, .integer($0.value)) }))
    }

    private let first = FileVersion(of: [1]), second = FileVersion(of: [2]), third = FileVersion(of: [3])

    private var begun: Run {
        var run = Run()
        let mirror = JournalBase.Mirror(first, [JournalEntry(key: "a", value: .integer(0))])
        run.add(.base(JournalBase(tree: Self.tree(["a": 1]), mirrors: [mirror])))
        return run
    }

    // MARK: The versions of the file

    @Test("A journal that says nothing of a file has all values of the one that is there") func nothing() {
        let state = JournalState(of: first)
        #expect(state.mirrors.map(\.version) == [first] && state.mirrors[0].difference.isEmpty && !state.hasBegun)
        #expect(JournalState().mirrors.map(\.version) == [.absent])
    }

    @Test("The base says which versions the file may have, and what each has") func base() {
        let run = begun
        #expect(run.files == [first: Self.tree(["a": 0])])
        #expect(run.state.mirrors.map(\.offset) == [100] && !run.state.hasBegun)
        var other = run
        let mirrors = [JournalBase.Mirror(second), JournalBase.Mirror(third, [JournalEntry(key: "b", value: nil)])]
        other.add(.base(JournalBase(tree: Self.tree(["b": 2]), mirrors: mirrors)))
        #expect(other.files == [second: Self.tree(["b": 2]), third: SettingTree()])
        #expect(other.state.hasBegun)
    }

    @Test("Since a journal was removed, the keys are known that have been written, and up to where it was united")
    func news() {
        var run = Run()
        let mirrors = [JournalBase.Mirror(first)]
        run.add(.base(JournalBase(tree: SettingTree(), mirrors: mirrors, news: JournalBase.News(keys: ["a"]))))
        run.set("b", 1)
        run.edit(second, "c", 2)
        for position in [3, 2] as [UInt64] {
            let place = ChangeToken(history: 7, position: position, checksum: 1)
            run.add(.united(JournalUnion(origin: place, batch: Self.batch("d", 4))))
        }
        let united = ChangeToken(history: 7, position: 3, checksum: 1)
        #expect(run.state.news == JournalBase.News(keys: ["a", "b", "c"], united: united, unitedKeys: ["d"]))
        var other = run
        let origin = ChangeToken(history: 8, position: 1, checksum: 1)
        other.add(.united(JournalUnion(origin: origin, batch: Self.batch("e", 4))))
        #expect(
            other.state.news == JournalBase.News(keys: ["a", "b", "c"], united: origin, unitedKeys: ["e"]),
            "those of one history")
        // More than that are not worth their bytes.
        for number in 0..<1_000 { run.set(SettingKey(name: "key\(number)"), 1) }
        #expect(run.state.news == nil)
        run.add(.base(JournalBase(tree: SettingTree(), mirrors: mirrors)))
        run.set("b", 1)
        #expect(run.state.news == nil, "too much had come before")
    }

    @Test("After a removal that emptied the settings, the keys are known that were written")
    func newsSinceRemoval() {
        var run = begun
        run.set("b", 1)
        run.add(.edited(JournalBase.Mirror(.absent), Self.batch("a", nil)))
        #expect(run.state.news == JournalBase.News())
        run.set("a", 2)
        #expect(run.state.news == JournalBase.News(keys: ["a"]))
        run.state.didReset(at: 100, run.tree)
        #expect(run.state.news == JournalBase.News())
    }

    @Test("What was edited before anything was written is known by itself, as far as it changed anything")
    func editedNews() {
        var run = Run()
        let base = JournalBase(
            tree: Self.tree(["a": 1, "b": 1]), mirrors: [JournalBase.Mirror(first)], news: JournalBase.News())
        run.add(.base(base))
        run.edit(second, "a", 1)
        run.edit(third, "b", 2)
        #expect(run.state.news == JournalBase.News(edited: ["b"]))
        run.set("c", 3)
        run.edit(second, "d", 4)
        #expect(run.state.news == JournalBase.News(keys: ["c", "d"], edited: ["b"]))
        let place = ChangeToken(history: 7, position: 3, checksum: 1)
        run.add(.united(JournalUnion(origin: place, batch: Self.batch("b", 4))))
        #expect(run.state.news == JournalBase.News(keys: ["c", "d"], united: place, unitedKeys: ["b"]))
    }

    @Test("In a journal that began without values everything has been written since, until others are put beside them")
    func newsOfEverything() {
        var run = Run()
        run.add(.base(JournalBase(tree: SettingTree(), mirrors: [JournalBase.Mirror(.absent)], news: .everything)))
        var other = run
        run.set("a", 1)
        run.edit(second, "b", 2)
        #expect(run.state.news == .everything)
        let place = ChangeToken(history: 7, position: 3, checksum: 1)
        run.add(.united(JournalUnion(origin: place, batch: Self.batch("c", 4))))
        run.set("d", 5)
        #expect(run.state.news == JournalBase.News(keys: ["a", "b", "d"], united: place, unitedKeys: ["c"]))
        other.edit(second, "a", 1)
        #expect(other.state.news == JournalBase.News(edited: ["a"]))
    }

    @Test("Until a version is confirmed, the file may be that one or the one before") func mirroring() {
        var run = begun
        let offset = run.add(.mirroring(second))
        run.set("b", 2)
        #expect(run.state.hasBegun && run.state.mirrors.map(\.offset) == [100, offset])
        #expect(run.files == [first: Self.tree(["a": 0]), second: Self.tree(["a": 1])])
        run.add(.mirroring(third))
        #expect(run.files[third] == Self.tree(["a": 1, "b": 2]) && run.state.mirrors.count == 3)
    }

    @Test("Of a file that is never replaced, the version that is there and the newest that were begun are known")
    func manyBegun() {
        var run = begun
        for number in 1...1_000 as ClosedRange<UInt64> {
            run.add(.mirroring(FileVersion(hash: number, size: 1)))
            run.set("a", Int64(number))
        }
        #expect(run.state.mirrors.count == 64 && run.state.mirrors[0].version == first)
        #expect(run.files[first]?["a"] == .integer(0))
        #expect(run.files[FileVersion(hash: 1_000, size: 1)]?["a"] == .integer(999))
        // A journal may have been begun with as many, and those of state come with a record each.
        let mirrors = (1...1_000).map { JournalBase.Mirror(FileVersion(hash: $0, size: 1), isOfState: true) }
        run.add(.base(JournalBase(tree: SettingTree(), mirrors: mirrors)))
        run.add(.state(JournalStateKeys(added: ["s"], mirrors: mirrors)))
        #expect(run.state.mirrors.count == 64 && run.state.mirrors[0].version == mirrors[0].version)
        #expect(run.state.stateFile.versions.count == 64)
        #expect(run.state.stateFile.versions.last?.version == mirrors.last?.version)
    }

    @Test("A confirmed version is the only one") func mirrored() {
        var run = begun
        let offset = run.add(.mirroring(second))
        run.set("b", 2)
        run.add(.mirroring(third))
        run.add(.mirrored(second))
        #expect(run.files == [second: Self.tree(["a": 1])])
        #expect(run.state.mirrors[0].offset == offset)
        #expect(!run.state.hasBegun && run.state.mirror(third) == nil && run.state.mirror(second) != nil)
    }

    @Test("A version that was begun twice has what it had the second time") func twice() {
        var run = begun
        run.add(.mirroring(second))
        run.set("b", 2)
        run.add(.mirroring(second))
        #expect(run.state.mirror(second)?.difference.isEmpty == true)
        run.add(.mirrored(second))
        #expect(run.files == [second: Self.tree(["a": 1, "b": 2])])
    }

    @Test("A confirmed version that was never begun has everything") func unknown() {
        var run = begun
        let offset = run.add(.mirrored(third))
        #expect(run.files == [third: run.tree] && run.state.mirrors[0].offset == offset)
    }

    @Test("An edit makes the file one version, with what was edited and what it had") func edited() {
        var run = begun
        run.set("b", 2)
        run.add(.mirroring(second))
        let offset = run.edit(third, "c", 3)
        #expect(run.files == [third: Self.tree(["a": 0, "c": 3])] && run.state.mirrors[0].offset == offset)
        #expect(run.tree == Self.tree(["a": 1, "b": 2, "c": 3]))
        run.edit(first, "a", 5)
        #expect(run.files == [first: Self.tree(["a": 5, "c": 3])])
        run.add(.edited(JournalBase.Mirror(second, [JournalEntry(key: "b", value: nil)]), JournalBatch(revision: 0)))
        #expect(run.files == [second: Self.tree(["a": 5, "c": 3])])
    }

    @Test("A file that was removed has nothing, whatever stays in force") func absent() {
        var run = begun
        run.add(.removal(from: run.tree))
        #expect(run.files == [.absent: SettingTree()] && run.tree == Self.tree(["a": 1]) && !run.state.isReset)
        run.add(.edited(JournalBase.Mirror(.absent), Self.batch("a", nil)))
        #expect(run.files == [.absent: SettingTree()] && run.tree == SettingTree() && run.state.isReset)
        run.set("b", 2)
        #expect(run.files == [.absent: SettingTree()])
        run.edit(first, "c", 3)
        #expect(run.files == [first: Self.tree(["c": 3])] && run.state.isReset)
        run.state.didBeginJournal(at: 50)
        #expect(!run.state.isReset && run.state.mirrors[0].offset == 50)
    }

    @Test("A file that was read, or may be there, is known with what it has") func reading() {
        var run = begun
        let difference = MirrorDifference([JournalEntry(key: "a", value: nil)])
        run.add(
            .united(
                JournalUnion(
                    origin: .beginning(), mirrors: [JournalBase.Mirror(second, difference.entries)],
                    batch: JournalBatch(revision: 0))))
        #expect(run.files == [first: Self.tree(["a": 0]), second: SettingTree()] && run.state.mirrors[1].offset == 0)
        run.state.decide(second)
        #expect(run.files == [second: SettingTree()])
        run.state.didRead(third, at: 300, MirrorDifference())
        #expect(run.files == [third: Self.tree(["a": 1])] && run.state.mirrors[0].offset == 300)
    }

    // MARK: Kept values

    @Test("What an edit replaces is kept until a program writes there") func kept() {
        var run = begun
        run.add(.edited(JournalBase.Mirror(second), Self.batch("a", 2)))
        #expect(run.state.kept.values == ["a": [.integer(1)]])
        run.set("a", 3, revision: 0)
        #expect(run.state.kept.values == ["a": [.integer(2), .integer(1)]])
        run.set("b", 4)
        #expect(run.state.kept.values == ["a": [.integer(2), .integer(1)]])
        run.set("a", 5)
        #expect(run.state.kept.isEmpty)
    }

    @Test("What was removed by hand, or has stayed the same, is not kept") func notKept() {
        var run = begun
        run.add(.edited(JournalBase.Mirror(second), Self.batch("a", 1)))
        run.add(.edited(JournalBase.Mirror(second), Self.batch("new", 1)))
        #expect(run.state.kept.isEmpty)
        run.add(.edited(JournalBase.Mirror(second), Self.batch("a", 2)))
        run.add(.edited(JournalBase.Mirror(second), Self.batch("a", nil)))
        #expect(run.state.kept.isEmpty)
    }

    @Test("A record of kept values decides what is kept of its keys") func decided() {
        var run = begun
        run.add(.edited(JournalBase.Mirror(second), Self.batch("a", 2)))
        let list = JournalEntry(key: "a", value: .array([.integer(7)]))
        run.add(.kept(JournalBatch(revision: 0, entries: [list])))
        #expect(run.state.kept.isDecided(.integer(7), at: "a"))
        run.add(.kept(JournalBatch(revision: 0, entries: [JournalEntry(key: "a", value: nil)])))
        #expect(run.state.kept.isEmpty)
    }

    // MARK: The past

    @Test("The last policy counts, and a secret stays one") func history() {
        var run = begun
        #expect(run.state.history == nil && run.state.secretsOfPast == nil)
        run.add(.history(JournalHistory(policy: .keep(transactions: 5), secrets: ["s"])))
        run.add(.history(JournalHistory(policy: .keep(transactions: 9), secrets: ["t"])))
        #expect(run.state.history == JournalHistory(policy: .keep(transactions: 9), secrets: ["s", "t"]))
        // What is kept of the past was written when only this one was a secret.
        #expect(run.state.secretsOfPast == ["s"])
        run.state.didBeginJournal(at: 50)
        #expect(run.state.secretsOfPast == ["s", "t"])
        run.add(.base(JournalBase(tree: SettingTree(), mirrors: [JournalBase.Mirror(first)])))
        #expect(run.state.secretsOfPast == nil)
    }

    @Test("The keys are known of which transactions tell values") func listed() {
        var run = begun
        func transactions(_ key: SettingKey) -> JournalTransactions {
            let told = StoredMutation(key: key, oldValue: nil, newValue: .dictionary(["in": .integer(1)]))
            let transaction = StoredTransaction(
                time: 1, author: TransactionAuthor(), origin: .local,
                mutations: [told, StoredMutation(withheldAt: "secret")])
            return JournalTransactions(position: 1, count: 1, time: 1, list: [transaction])
        }
        var batch = Self.batch("a", 2, revision: 1)
        batch.transactions = transactions("g.a")
        run.add(.values(batch))
        run.add(.past(transactions("p")))
        for key in ["g", "g.a", "g.a.in", "p", "p.in"] as [SettingKey] {
            #expect(run.state.listed.contains(anyOf: [key]), "\(key)")
        }
        #expect(!run.state.listed.contains(anyOf: ["a", "secret", "g.b"]))
        run.state.didBeginJournal(at: 50)
        #expect(run.state.listed.isEmpty)
    }
}

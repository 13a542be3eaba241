import Testing

@testable import Settle

/// What waits to be appended, without a storage.
@Suite struct BacklogTests {
    @Test func `a batch has the newest value of each key and expects what the first one replaced`() {
        var backlog = Backlog()
        backlog.add([("a", .integer(1))], replacing: [.integer(0)], author: "me")
        backlog.add([("a", .integer(2)), ("b", nil)], replacing: [.integer(1), .integer(7)], author: "me")
        let (batch, isWhole) = backlog.batch()
        #expect(isWhole && batch.revision == 9 && batch.author == "me")
        #expect(batch.values == ["a": .integer(2), "b": nil])
        #expect(batch.expectedValues == ["a": .integer(0), "b": .integer(7)])
        #expect(batch.conditions == [.at(StoragePosition(1))])
    }

    @Test func `two authors are none`() {
        var backlog = Backlog()
        backlog.add([("a", .integer(1))], author: "me")
        backlog.add([("b", .integer(1))], author: "you")
        let batch = backlog.batch().0
        #expect(batch.author == nil)
    }

    @Test func `a later value around earlier ones removes them`() {
        var backlog = Backlog()
        backlog.add([("a.b", .integer(1)), ("ab", .integer(1))], replacing: [.integer(0), nil])
        backlog.add([("a", .integer(2))])
        let (batch, _) = backlog.batch()
        #expect(batch.values == ["a": .integer(2), "ab": .integer(1)] && batch.expectedValues.isEmpty)
    }

    @Test func `parts keep what was written together, and the last one completes the revision`() {
        var backlog = Backlog()
        backlog.add(
            ["a", "b", "c"].map { ($0, .integer(1)) }, replacing: [.integer(0), nil, nil],
            together: [["a", "c"]])
        let (first, isWhole) = backlog.batch(StorageLimits(keys: 2))
        #expect(!isWhole && first.revision == 5 && Set(first.values.keys) == ["a", "c"])
        backlog.didStore(partOf: first)
        // Written again meanwhile: it expects what the first part has stored.
        backlog.add([("a", .integer(2))], replacing: [.integer(1)])
        let (second, isLast) = backlog.batch(StorageLimits(keys: 2))
        #expect(isLast && second.revision == 9 && second.id.number == first.id.number + 1)
        #expect(second.values == ["a": .integer(2), "b": .integer(1)] && second.expectedValues == ["a": .integer(1)])
        let stored = backlog.didStoreAll(second)
        #expect(Set(stored) == ["a", "b", "c"] && backlog.isEmpty)
    }

    @Test func `transactions that overlap and are too much together come one by one, as each has left its keys`() {
        var backlog = Backlog()
        backlog.add([("a", .integer(1)), ("b", .integer(1))], together: [["a", "b"]])
        backlog.add([("b", .integer(2)), ("c", .integer(2))], together: [["b", "c"]])
        let (first, isWhole) = backlog.batch(StorageLimits(keys: 2))
        #expect(!isWhole && first.values == ["a": .integer(1), "b": .integer(1)])
        backlog.didStore(partOf: first)
        let (second, isLast) = backlog.batch(StorageLimits(keys: 2))
        #expect(isLast && second.values == ["b": .integer(2), "c": .integer(2)])
        #expect(second.expectedValues == ["b": .integer(1)])
    }

    @Test func `what a transaction wrote that was given up is in no part`() {
        var backlog = Backlog()
        backlog.add([("a", .integer(1)), ("b", .integer(1))], together: [["a", "b"]])
        backlog.add([("b", .integer(2)), ("c", .integer(2))], together: [["b", "c"]])
        backlog.giveUp("b", for: nil, isWrittenBack: false)
        let (batch, isWhole) = backlog.batch(StorageLimits(keys: 2))
        #expect(isWhole && batch.values == ["a": .integer(1), "c": .integer(2)])
    }

    @Test func `what is stored in parts leaves newer values of its keys`() {
        var backlog = Backlog()
        backlog.add([("a", .integer(1)), ("b", .integer(1))])
        let (batch, _) = backlog.batch()
        backlog.add([("a", .integer(2))])
        backlog.didStore(partOf: batch)
        #expect(backlog.values == ["a": .integer(2)] && backlog.replaced == ["a": .integer(1)])
    }

    @Test func `a value that is given up is written back over, unless others have stored something there`() {
        var backlog = Backlog()
        backlog.add([("a", .integer(1)), ("b", .integer(1))], replacing: [.integer(0), nil])
        backlog.giveUp("a", for: .integer(0), isWrittenBack: true)
        backlog.giveUp("b", for: nil, isWrittenBack: true)
        #expect(backlog.values.isEmpty && !backlog.isEmpty)
        backlog.leave("b")
        let batch = backlog.batch().0
        #expect(batch.values == ["a": .integer(0)])
    }

    @Test func `an undone commit leaves what waited before it, once`() {
        var backlog = Backlog()
        backlog.add([("a", .integer(1))])
        backlog.beginCommits()
        backlog.add([("a", .integer(2)), ("b", .integer(2))])
        let isStored = [backlog.undo("a"), backlog.undo("b")]
        #expect(isStored == [false, true] && backlog.values == ["a": .integer(1)])
        let restored = backlog.takeRestored()
        #expect(restored == ["a": .integer(1)] && !backlog.hasRestored)
    }

    @Test func `what an undone commit restores does not cover a later write`() {
        var backlog = Backlog()
        backlog.add([("a", .integer(1))])
        backlog.beginCommits()
        backlog.add([("a", .integer(2))])
        _ = backlog.undo("a")
        backlog.add([("a", .integer(3))])
        let restored = backlog.takeRestored()
        #expect(restored.isEmpty)
        backlog.endCommits()
        let isStored = backlog.undo("a")
        #expect(isStored)
    }

    @Test func `a refused value leaves what is stored, with what waits around it`() {
        var backlog = Backlog()
        backlog.add([("a", .dictionary(["x": .integer(1)]))])
        backlog.add([("a.b", .string("long"))], replacing: [.integer(4)])
        #expect(backlog.largest(1) == ["a.b"])
        let left = backlog.setAside("a.b")
        #expect(left == nil && backlog.values.count == 1)
    }

    @Test func `a tree without what waits has what is stored`() {
        var backlog = Backlog()
        backlog.add([("a", .integer(1)), ("b.c", .integer(1))], replacing: [.integer(0), nil])
        backlog.merge(ExternalChange(.values(["b.c": .integer(5)])))
        var tree = SettingTree(["a": .integer(1), "b": .dictionary(["c": .integer(1)]), "d": .integer(1)])
        backlog.removeUnsaved(from: &tree)
        #expect(tree.root == ["a": .integer(0), "b": .dictionary(["c": .integer(5)]), "d": .integer(1)])
    }
}

extension Backlog {
    fileprivate mutating func add(
        _ values: [(key: SettingKey, value: SettingValue?)], replacing before: [SettingValue?]? = nil,
        author: String? = nil, together: [[SettingKey]] = []
    ) {
        add(
            values, replacing: before ?? values.map { _ in nil }, author: author,
            writtenTogether: together.map { WrittenTogether(keys: $0) }, keeper: nil
        )
    }

    fileprivate mutating func batch(_ limits: StorageLimits = StorageLimits()) -> (StorageBatch, Bool) {
        nextBatch(9, after: 5, limits: limits, conditions: [.at(StoragePosition(1))], with: [])
    }
}

import SettleTesting
import Testing

@testable import Settle

/// What waits to be appended, without a storage.
@Suite struct PendingSavesTests {
    @Test("A batch has the newest value of each key and expects what the first one replaced") func batchNewestValue() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1))], replacing: [.integer(0)], author: "me")
        pending.add([("a", .integer(2)), ("b", nil)], replacing: [.integer(1), .integer(7)], author: "me")
        let (batch, isWhole) = pending.batch()
        #expect(isWhole && batch.revision == 9 && batch.author == "me")
        #expect(batch.values == ["a": .integer(2), "b": nil])
        #expect(batch.expectedValues == ["a": .integer(0), "b": .integer(7)])
        #expect(batch.conditions == [.at(StoragePosition(1))])
    }

    @Test("Batches of one store are numbered, and those of two stores are distinguished") func identities() {
        var (pending, other) = (PendingSaves(), PendingSaves())
        let (first, second, others) = (pending.batch().0.id, pending.batch().0.id, other.batch().0.id)
        #expect(first.store == second.store && (first.number, second.number) == (1, 2))
        #expect(first.store != 0 && others.store != 0 && others.store != first.store)
        // As for a batch without values, which may be the first one of a store.
        var syncing = PendingSaves()
        let (empty, next) = (syncing.nextID(), syncing.batch().0.id)
        #expect(empty.store != 0 && next.store == empty.store && (empty.number, next.number) == (1, 2))
    }

    @Test("Two authors are none, but nobody takes nothing from one") func twoAuthorsNone() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1))])
        pending.add([("a", .integer(1))], author: "me")
        pending.add([("b", .integer(1))])
        #expect(pending.author == .one("me") && pending.batch().0.author == "me")
        pending.add([("b", .integer(1))], author: "you")
        #expect(pending.author == .several)
        pending.add([("c", .integer(1))], author: "me")
        #expect(pending.batch().0.author == nil)
        var unknown = NamedAuthor.several
        unknown.add(.one("me"))
        #expect(unknown.name == nil)
    }

    @Test("A later value around earlier ones removes them") func laterValueAround() {
        var pending = PendingSaves()
        pending.add([("a.b", .integer(1)), ("ab", .integer(1))], replacing: [.integer(0), nil])
        pending.add([("a", .integer(2))])
        let (batch, _) = pending.batch()
        #expect(batch.values == ["a": .integer(2), "ab": .integer(1)] && batch.expectedValues.isEmpty)
    }

    @Test("Parts keep what was written together, and the last one completes the revision") func partsKeepWritten() {
        var pending = PendingSaves()
        pending.add(
            ["a", "b", "c"].map { ($0, .integer(1)) }, replacing: [.integer(0), nil, nil],
            together: [["a", "c"]])
        let (first, isWhole) = pending.batch(StorageLimits(keys: 2))
        #expect(!isWhole && first.revision == 5 && Set(first.values.keys) == ["a", "c"])
        _ = pending.didStore(partOf: first)
        // Written again meanwhile: it expects what the first part has stored.
        pending.add([("a", .integer(2))], replacing: [.integer(1)])
        let (second, isLast) = pending.batch(StorageLimits(keys: 2))
        #expect(isLast && second.revision == 9 && second.id.number == first.id.number + 1)
        #expect(second.values == ["a": .integer(2), "b": .integer(1)] && second.expectedValues == ["a": .integer(1)])
        let stored = pending.didStoreAll(second, unencodable: [])
        #expect(Set(stored) == ["a", "b", "c"] && pending.isEmpty)
    }

    @Test("Transactions that overlap and are too much together come one by one, as each has left its keys")
    func transactionsOverlapToo() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1)), ("b", .integer(1))], together: [["a", "b"]])
        pending.add([("b", .integer(2)), ("c", .integer(2))], together: [["b", "c"]])
        let (first, isWhole) = pending.batch(StorageLimits(keys: 2))
        #expect(!isWhole && first.values == ["a": .integer(1), "b": .integer(1)])
        _ = pending.didStore(partOf: first)
        let (second, isLast) = pending.batch(StorageLimits(keys: 2))
        #expect(isLast && second.values == ["b": .integer(2), "c": .integer(2)])
        #expect(second.expectedValues == ["b": .integer(1)])
    }

    @Test("While saving fails, many transactions are joined, and parts still end where one of them has ended")
    func joinedTransactions() {
        for seed in 1...6 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let limits = StorageLimits(keys: [8, 12, 16][Int(seed % 3)])
            var pending = PendingSaves()
            pending.add([("first", .integer(0))], together: [["first"]])
            pending.appendFailed()
            var state = SettingTree(["first": .integer(0)])
            var states = [state]
            for number in 1...700 as ClosedRange<Int64> {
                let count = Int.random(in: 1...(number.isMultiple(of: 50) ? 4 : 2), using: &random)
                let keys = Set(
                    (0..<count).map { _ in SettingKey(stored: "k\(Int.random(in: 0..<20, using: &random))") })
                pending.add(keys.map { ($0, .integer(number)) }, together: [Array(keys)])
                pending.joinTransactions(within: limits)
                for key in keys { state[key] = .integer(number) }
                states.append(state)
            }
            #expect(pending.transactions.count < 600 && !pending.transactions.flatMap(\.groups).isEmpty)
            var stored = SettingTree()
            var parts = 0
            var isWhole = false
            while !isWhole, parts < 1_000 {
                let batch: StorageBatch
                (batch, isWhole) = pending.batch(limits)
                stored.apply(batch.values)
                let reached = states.firstIndex(of: stored)
                #expect(batch.values.count <= limits.keys ?? 0 && reached != nil, "seed \(seed), part \(parts)")
                states.removeFirst(reached ?? 0)
                if !isWhole { _ = pending.didStore(partOf: batch) }
                parts += 1
            }
            #expect(stored == state && parts > 1)
        }
    }

    @Test("Joined transactions keep which keys were written together, and forget one whose value was given up")
    func joinedGroups() {
        var pending = PendingSaves()
        pending.appendFailed()
        pending.add([("a", .integer(1)), ("b", .integer(1))], together: [["a", "b"]])
        pending.add([("c", .integer(1))], together: [["c"]])
        pending.appendFailed()
        for number in 0..<300 { pending.add([("c", .integer(Int64(number)))], together: [["c"]]) }
        pending.joinTransactions(within: StorageLimits(keys: 8))
        #expect(pending.transactions.count == 1)
        #expect(pending.batch().0.writtenTogether.map(Set.init) == [["a", "b"]])
        _ = pending.undo(["b"], with: [])
        #expect(pending.batch().0.writtenTogether.isEmpty)
        // Those of a batch that may have been stored stay apart.
        pending.unresolved = pending.batch().0
        for number in 0..<300 { pending.add([("c", .integer(Int64(number)))], together: [["c"]]) }
        pending.joinTransactions(within: StorageLimits(keys: 8))
        #expect(pending.transactions.count == 2 && pending.inBatch == [0])
    }

    @Test("What a transaction wrote that was given up is in no part") func transactionWroteGiven() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1)), ("b", .integer(1))], together: [["a", "b"]])
        pending.add([("b", .integer(2)), ("c", .integer(2))], together: [["b", "c"]])
        pending.appendFailed()
        _ = pending.undo(["b"], with: [])
        let (batch, isWhole) = pending.batch(StorageLimits(keys: 2))
        #expect(isWhole && batch.values == ["a": .integer(1), "c": .integer(2)])
    }

    @Test("What is stored in parts leaves newer values of its keys") func storedPartsLeaves() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1)), ("b", .integer(1))])
        let (batch, _) = pending.batch()
        pending.add([("a", .integer(2))])
        _ = pending.didStore(partOf: batch)
        #expect(pending.values == ["a": .integer(2)] && pending.replaced == ["a": .integer(1)])
    }

    @Test("A value that is given up is written back over, unless others have stored something there")
    func valueGivenUp() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1)), ("b", .integer(1))], replacing: [.integer(0), nil])
        pending.appendFailed()
        pending.commitFailed(["a", "b"])
        pending.changedOutside(["c": .integer(1)])
        let givenUp = pending.giveUpContested(with: [], isLocked: true)
        #expect(givenUp.map(\.key) == ["a", "b"] && givenUp.allSatisfy(\.isCommitted))
        #expect(pending.values.isEmpty && !pending.isEmpty)
        pending.changedOutside(["b": .integer(5)])
        let batch = pending.batch().0
        #expect(batch.values == ["a": .integer(0)])
    }

    @Test("An undone commit leaves what waited before it, once") func undoneCommitLeaves() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1))])
        pending.beginCommits(after: 0)
        pending.add([("a", .integer(2)), ("b", .integer(2))])
        let inForce = pending.undo(["a", "b"], with: [])
        #expect(inForce == ["b": nil] && pending.values == ["a": .integer(1)])
        let restored = pending.takeRestored()
        #expect(restored == ["a": .integer(1)] && !pending.hasRestored)
    }

    @Test("A failed commit over which another one is undone has not read what others have stored since")
    func failedCommitOver() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1))])
        pending.appendFailed()
        pending.commitFailed(["a"])
        pending.beginCommits(after: 0)
        pending.add([("a", .integer(2))])
        pending.changedOutside(["b": .integer(5)])
        #expect(pending.isBehind)
        _ = pending.undo(["a"], with: [])
        let givenUp = pending.giveUpContested(with: [], isLocked: false)
        #expect(givenUp.map(\.key) == ["a"] && givenUp.allSatisfy(\.isCommitted) && pending.isEmpty)
    }

    @Test("What others have stored between a commit and its failure counts") func othersStoredBetween() {
        var pending = PendingSaves()
        pending.beginCommits(after: 0)
        pending.add([("a", .integer(1))])
        pending.changedOutside(["b": .integer(5)])
        pending.appendFailed()
        pending.commitFailed(["a"])
        let givenUp = pending.giveUpContested(with: [], isLocked: false)
        #expect(givenUp.map(\.key) == ["a"])
    }

    @Test("What waited before a commit and is stored does not wait again when the commit is undone")
    func waitedBeforeCommit() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1))])
        let (batch, _) = pending.batch()
        pending.beginCommits(after: 0)
        pending.add([("a", .integer(2))])
        _ = pending.didStore(partOf: batch)
        let inForce = pending.undo(["a"], with: [])
        #expect(inForce == ["a": .integer(1)] && pending.isEmpty)
    }

    @Test("What a round has stored in a part does not wait again, either") func roundStoredPart() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1))])
        pending.beginCommits(after: 0)
        pending.add([("a", .integer(2)), ("b", .integer(2))])
        let (batch, _) = pending.batch(StorageLimits(keys: 1))
        #expect(batch.values == ["a": .integer(2)])
        _ = pending.didStore(partOf: batch)
        pending.add([("a", .integer(3))], replacing: [.integer(2)])
        let inForce = pending.undo(["a", "b"], with: [])
        #expect(inForce == ["a": .integer(2), "b": nil] && pending.isEmpty)
    }

    @Test("Transactions of which it is not known what they left are stored together, in their order")
    func transactionsKnownThey() {
        let transactions = [["x", "y"], ["a", "b"], ["b", "c"]].map { PendingTransaction(keys: $0) }
        let values: [SettingKey: SettingValue?] = ["a": nil, "b": nil, "c": nil, "x": nil, "y": nil]
        let part = StorageLimits(keys: 4).part(of: values, inOrderOf: transactions)
        #expect(part.values.keys.sorted() == ["x", "y"] && part.transactions == [0] && !part.isWhole)
    }

    @Test("An undone transaction has left nothing, also if its keys are written again") func undoneTransactionLeft() {
        var pending = PendingSaves()
        pending.beginCommits(after: 0)
        pending.add([("a", .integer(1)), ("b", .integer(1))], together: [["a", "b"]])
        _ = pending.undo(["a", "b"], with: [])
        let groups: [[SettingKey]] = [["a"], ["c"], ["a", "b"]]
        for (number, keys) in groups.enumerated() {
            pending.add(keys.map { ($0, .integer(Int64(number))) }, together: [keys])
        }
        let (batch, _) = pending.batch(StorageLimits(keys: 2))
        #expect(batch.values == ["a": .integer(0), "c": .integer(1)])
    }

    @Test("What an undone commit restores does not cover a later write") func undoneCommitRestores() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1))])
        pending.beginCommits(after: 0)
        pending.add([("a", .integer(2))])
        _ = pending.undo(["a"], with: [])
        pending.add([("a", .integer(3))])
        let restored = pending.takeRestored()
        #expect(restored.isEmpty)
        pending.endCommits()
        let inForce = pending.undo(["a"], with: [])
        #expect(inForce == ["a": nil])
    }

    @Test("A refused value leaves what is stored, with what waits around it") func refusedValueLeaves() {
        var pending = PendingSaves()
        pending.add([("a", .dictionary(["x": .integer(1)]))])
        pending.add([("a.b", .string("long"))], replacing: [.integer(4)])
        #expect(pending.largest(1) == ["a.b"])
        let left = pending.setAside("a.b")
        #expect(left == nil && pending.values.count == 1)
    }

    @Test("A tree without what waits has what is stored") func treeWithoutWaits() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1)), ("b.c", .integer(1))], replacing: [.integer(0), nil])
        pending.merge(ExternalChange(.values(["b.c": .integer(5)])))
        var tree = SettingTree(["a": .integer(1), "b": .dictionary(["c": .integer(1)]), "d": .integer(1)])
        pending.removeUnsaved(from: &tree)
        #expect(tree.root == ["a": .integer(0), "b": .dictionary(["c": .integer(5)]), "d": .integer(1)])
    }

    // MARK: Failures

    @Test("Overlapping groups of values written together form one unit")
    func units() {
        var pending = PendingSaves()
        pending.add(["a", "b", "c", "d", "e"].map { ($0, .integer(1)) }, together: [["a", "b"], ["c", "d"], ["e"]])
        pending.appendFailed()
        pending.add([("b", .integer(2)), ("c", .integer(2))], together: [["b", "c"]])
        pending.changedOutside(["a": .integer(7)])
        #expect(pending.lost == ["a", "b", "c", "d"])
        let givenUp = pending.giveUpContested(with: [], isLocked: true)
        #expect(Set(givenUp.map(\.key)) == ["a", "b", "c", "d"])
        // Where others have stored something, nothing is written back.
        #expect(Set(pending.writtenBack.keys) == ["b", "c", "d"] && pending.lost.isEmpty)
        pending.changedOutside(["e": .integer(7)])
        #expect(pending.lost == ["e"])
        let batch = pending.batch().0
        _ = pending.didStoreAll(batch, unencodable: [])
        #expect(!pending.isRetry && pending.lost.isEmpty)
    }

    @Test("Any external change gives up a failed commit's values, until something else writes them")
    func commits() {
        var pending = PendingSaves()
        pending.add([("a", .integer(1)), ("b", .integer(1))])
        pending.appendFailed()
        pending.commitFailed(["a"])
        var later = pending
        pending.changedOutside(["c": .integer(1)])
        #expect(pending.lost == ["a"])
        later.add([("a", .integer(2))])
        later.changedOutside(["c": .integer(1)])
        #expect(later.lost.isEmpty)
    }

    @Test("Values that are stored in parts no longer stand or fall with the rest")
    func parts() {
        var pending = PendingSaves()
        pending.add(["a", "b", "c"].map { ($0, .integer(1)) }, together: [["a", "b"], ["b", "c"]])
        let stored = pending.didStore(partOf: StorageBatch(revision: 1, values: ["b": .integer(1)]))
        pending.appendFailed()
        #expect(stored == ["b"] && pending.united("a") == ["a", "c"])
    }
}

extension PendingSaves {
    fileprivate mutating func changedOutside(_ values: [SettingKey: SettingValue?]) {
        changedOutside([ExternalChange(.values(values))], after: [], stored: nil, collected: 9)
    }

    fileprivate mutating func add(
        _ values: [(key: SettingKey, value: SettingValue?)], replacing before: [SettingValue?]? = nil,
        author: String? = nil, together: [[SettingKey]] = []
    ) {
        add(
            values, replacing: before ?? values.map { _ in nil }, author: NamedAuthor(author),
            writtenTogether: together, transactions: together.map { PendingTransaction(keys: $0) }, keeper: nil)
    }

    fileprivate mutating func batch(_ limits: StorageLimits = StorageLimits()) -> (StorageBatch, Bool) {
        nextBatch(9, after: 5, limits: limits, conditions: [.at(StoragePosition(1))], with: [])
    }
}

import Testing

@testable import Settle

@Suite struct PendingRepairsTests {
    private typealias Repair = PendingRepairs.Repair

    private let version = FileVersion(of: [1])
    private let values = JournalRecord.Content.values(JournalBatch(revision: 1))
    private let tree = SettingTree(["a": .integer(1)])

    /// The repairs that one pass under the lock makes if nothing changes meanwhile.
    private func pass(_ repairs: PendingRepairs) -> [Repair] {
        Array(
            sequence(state: Repair?.none) { last in
                last = repairs.next(after: last)
                return last
            })
    }

    @Test("Repairs run in one order, whichever is needed first") func order() {
        let repairs: [Repair] = [.tell([values]), .heal(tree), .storeFile, .replaceJournal, .storeEverything]
        let begun = Repair.resolve([.init(version: version, coveredEnd: 7)])
        for rotation in repairs.indices {
            var pending = PendingRepairs()
            for repair in repairs[rotation...] + repairs[..<rotation] { pending.add(repair) }
            pending.add(begun)
            let expected: [Repair] = [
                .replaceJournal, .storeEverything, .storeFile, begun, .tell([values]), .heal(tree),
            ]
            #expect(pass(pending) == expected)
        }
    }

    @Test("Taking the lock runs no repair that waits for a sync or a checkpoint") func laterRepairs() {
        var pending = PendingRepairs()
        #expect(pending.contains(.removeAbandonedFiles))
        pending.add(.synchronizeNames)
        pending.add(.rewriteFile)
        #expect(pass(pending).isEmpty && pending.concernsFile)
        pending.didWriteFile()
        #expect(!pending.concernsFile && pending.contains(.synchronizeNames))
    }

    @Test("A repair that is needed again waits for the next pass") func againLater() {
        var pending = PendingRepairs()
        pending.add(.storeFile)
        pending.add(.replaceJournal)
        #expect(pending.next(after: .storeFile) == nil)
        #expect(pending.next(after: nil) == .replaceJournal)
    }

    @Test("A repair that an earlier one makes necessary runs in the same pass") func consequence() {
        var pending = PendingRepairs()
        pending.add(.storeEverything)
        #expect(pending.next(after: nil) == .storeEverything && pending.isRestoring)
        pending.didBeginJournal()
        #expect(pending.next(after: .storeEverything) == .storeFile && pending.isRestoring)
        pending.endRestoration()
        #expect(pass(pending).isEmpty && !pending.isRestoring)
    }

    @Test("A new journal discards unresolved checkpoints") func newJournal() {
        var pending = PendingRepairs()
        pending.follow(.checkpoint(version, coveredEnd: 7))
        pending.didBeginJournal()
        #expect(pass(pending).isEmpty)
    }

    @Test("Checkpoints need to be resolved until one is confirmed") func checkpoints() {
        var pending = PendingRepairs()
        pending.follow(.checkpoint(version, coveredEnd: 7))
        pending.follow(values)
        pending.follow(.checkpoint(.absent, coveredEnd: 9))
        #expect(pending.begun.map(\.coveredEnd) == [7, 9] && pending.concernsFile)
        #expect(pass(pending) == [.resolve(pending.begun)])
        pending.follow(.checkpointed(version, coveredEnd: 7))
        #expect(pending.begun.isEmpty && pass(pending).isEmpty && !pending.concernsFile)
    }

    @Test("Records are journaled in order, except an edit that another process has journaled") func records() {
        var pending = PendingRepairs()
        let edit = JournalRecord.Content.edited(version, JournalBatch(revision: 0))
        let other = JournalRecord.Content.edited(.absent, JournalBatch(revision: 0))
        for record in [edit, values, other] { pending.tell(record) }
        #expect(pass(pending) == [.tell([edit, values, other])])
        pending.didTell(edit: version)
        #expect(pending.untold == [values, other])
        pending.didTell()
        #expect(pending.untold == [other])
        pending.didTell()
        #expect(pass(pending).isEmpty)
    }

    @Test("Repairs that concern one journal do not carry over to the next") func anotherJournal() {
        var pending = PendingRepairs()
        pending.tell(values)
        pending.follow(.checkpoint(version, coveredEnd: 7))
        pending.add(.heal(tree))
        pending.beginJournal()
        #expect(pass(pending) == [.heal(tree)] && pending.recovered == tree)
        pending.didWriteFile()
        #expect(pass(pending).isEmpty && pending.recovered == nil)
    }
}

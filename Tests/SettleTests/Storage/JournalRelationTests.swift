import Testing

@testable import Settle

@Suite struct JournalRelationTests {
    private static let known = KnownJournal(
        token: token(5), end: JournalPosition(generation: 3, offset: 640, chain: 9, chainOffset: 0),
        lineage: JournalLineage(resets: 2, restarts: 2, start: start(2, 1), origin: FileVersion(of: [9])),
        earlier: [JournalLineage(restarts: 1, start: start(1, 0)), JournalLineage(restarts: 2, start: start(2, 1))],
        tree: tree,
        mirrors: [mirror([1], ["a": .integer(0)]), mirror([2], ["a": .integer(7)])])

    private static let tree = SettingTree(["a": .integer(1), "g": .dictionary(["b": .integer(2)])])

    private static func mirror(_ bytes: [UInt8], _ file: SettingValue.Entries) -> JournalState.Mirror {
        let difference = MirrorDifference(from: tree, to: SettingTree(file)) { $0 == $1 }
        return JournalState.Mirror(version: FileVersion(of: bytes), difference: difference)
    }

    private static func start(_ generation: UInt64, _ position: UInt64) -> JournalLineage.Start {
        JournalLineage.Start(generation: generation, position: position, checksum: 10 * position)
    }

    private static func token(_ position: UInt64, of history: UInt64 = 7) -> ChangeToken {
        ChangeToken(history: history, position: position, checksum: 10 * position)
    }

    /// A journal that was found, and what it is to the known one.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var expected: String
        var history: UInt64 = 7
        var position: UInt64 = 1
        var generation: UInt64 = 4
        var previous: UInt64 = 3
        var lineage = JournalLineage(resets: 2, restarts: 2, start: start(2, 1))
        var base: JournalBase? = JournalBase(
            tree: SettingTree(["a": .integer(8), "c": .integer(9)]), mirrors: [JournalBase.Mirror(FileVersion(of: [1]))]
        )
        var records: [JournalRecord.Content] = []

        init(_ description: String, _ expected: String, _ change: (inout Case) -> Void) {
            (testDescription, self.expected) = (description, expected)
            change(&self)
        }

        var header: JournalHeader {
            JournalHeader(
                generation: generation, previousGeneration: previous, beginning: token(position, of: history),
                lineage: lineage)
        }

        var reading: JournalReading {
            let contents = (base.map { [.base($0)] } ?? []) + records
            return JournalReading(
                records: contents.enumerated().map { (JournalHeader.size + 64 * $0, JournalRecord($1, durableEnd: 64)) }
            )
        }
    }

    private static func counted(_ position: UInt64) -> JournalRecord.Content {
        var batch = JournalBatch(revision: 1)
        batch.transactions = JournalTransactions(position: position, count: 1, time: 0)
        batch.transactions?.checksum = 10 * position
        return .values(batch)
    }

    private static let removal = JournalBatch(revision: 0, entries: [JournalEntry(key: "a", value: nil)])
    private static let nothing = "fork []", everything = "fork [a: 8, c: 9]"
    private static let otherFile = JournalBase(
        tree: SettingTree(["a": .integer(8), "c": .integer(9)]), mirrors: [JournalBase.Mirror(FileVersion(of: [3]))])
    private static let noFile = JournalBase(
        tree: SettingTree(["a": .integer(8)]), mirrors: [JournalBase.Mirror(.absent)])

    static let cases: [Case] = [
        // Of the same history.
        Case("begun at the place that was known", "descendant") { $0.position = 5 },
        Case("begun behind it", "descendant") { $0.position = 6 },
        Case("begun before it, and containing it", "descendant") { $0.records = [counted(4), counted(5)] },
        Case("begun before it, and containing another record of that position", "restored") {
            $0.records = [counted(4)]
            $0.records += [counted(5).changingBatch { $0.transactions?.checksum = 1 }]
        },
        Case("ending before it", "restored") { $0.records = [counted(4)] },
        Case("ending before it, of a lineage with fewer restarts that was open here", "restored") {
            ($0.lineage.restarts, $0.lineage.start) = (1, start(1, 0))
        },
        Case("ending before it, of a lineage with fewer restarts than all that were open here", "restored") {
            ($0.lineage.restarts, $0.lineage.start) = (0, start(8, 0))
        },
        Case("begun anew with fewer restarts, by a process that knew none of the last", everything + " at 0") {
            ($0.lineage.restarts, $0.lineage.start) = (1, start(4, 0))
        },
        Case("begun anew with fewer restarts, by one that knew what the last one did not", everything + " at 1") {
            ($0.lineage.restarts, $0.lineage.start) = (1, start(4, 3))
        },
        Case("begun anew where there was none, by a process that knew less", everything + " at 4") {
            ($0.lineage.restarts, $0.lineage.start) = (3, start(4, 4))
        },
        Case("begun anew so, and put in the place of that", "fork unknown at 4") {
            ($0.position, $0.lineage.restarts, $0.lineage.start) = (8, 3, start(7, 4))
        },
        Case("begun anew so, put in the place of that, with what has come since", everything + " at 4") {
            ($0.position, $0.lineage.restarts, $0.lineage.start) = (8, 3, start(7, 4))
            $0.base?.news = JournalBase.News()
        },
        Case("begun anew where there was none, by a process that knew the same", "descendant") {
            ($0.lineage.restarts, $0.lineage.start) = (3, start(4, 5))
        },
        Case("begun anew where there was none, by a process that knew more", "descendant") {
            ($0.lineage.restarts, $0.lineage.start) = (3, start(4, 6))
        },
        Case("begun anew where there was none, at the same position of another past", everything + " at 5") {
            ($0.lineage.restarts, $0.lineage.start) = (3, start(4, 5))
            $0.lineage.start.checksum = 1
        },
        Case("begun anew as often as the known one, which was earlier", everything + " at 1") {
            $0.lineage.start = start(4, 6)
        },
        Case("begun anew as often as the known one, and earlier", everything + " at 0") {
            $0.lineage.start = start(4, 0)
        },
        Case("begun anew, which contains the known place", "descendant") {
            ($0.lineage.restarts, $0.lineage.start, $0.records) = (3, start(4, 2), [counted(5)])
        },
        Case("ending before it, and the very one that was begun anew", "restored") {
            ($0.generation, $0.lineage.start) = (2, start(2, 1))
        },
        Case("begun anew, of a process that did not know a removal", "fork [a: 8]") {
            $0.lineage = JournalLineage(resets: 1, restarts: 3, start: start(4, 4))
        },
        Case("begun behind it, after the settings were taken for removed", nothing) {
            ($0.position, $0.lineage.resets) = (6, 3)
        },
        Case("containing it, and a removal of the settings behind it", nothing) {
            $0.records = [counted(5), .edited(JournalBase.Mirror(.absent), removal)]
        },
        Case("containing it, and a removal of the settings that is known", "descendant") {
            $0.records = [.edited(JournalBase.Mirror(.absent), removal), counted(5)]
            $0.lineage.resets = 1
        },
        Case("containing it, after the settings were taken for removed", nothing) {
            ($0.records, $0.lineage.resets) = ([counted(5)], 3)
        },
        Case("ending before it, begun anew after the settings were taken for removed", nothing) {
            $0.lineage = JournalLineage(resets: 3, restarts: 3, start: start(4, 4))
        },
        Case("of a lineage with fewer removals", "restored") { $0.lineage.resets = 1 },
        Case("without all values", "restored") { ($0.base, $0.position, $0.records) = (nil, 6, [counted(7)]) },
        // Of another history.
        Case("of a process that knew the file", "fork [a: 0]") { ($0.history, $0.previous) = (8, 0) },
        Case("of a process that knew the file, begun anew", "fork [a: 0]") { $0.history = 8 },
        Case("of an earlier history that knew the file, begun anew since", "fork [a: 8]") {
            ($0.history, $0.lineage.restarts) = (6, 1)
            $0.base?.news = JournalBase.News()
        },
        Case("of an earlier history that knew the file, begun anew more often", "fork [a: 0]") {
            $0.history = 6
            $0.base?.news = JournalBase.News()
        },
        Case(
            "of an earlier history that knew the file, begun anew, where nobody knows what has come since",
            "fork [a: 0]"
        ) {
            ($0.history, $0.lineage.restarts) = (6, 1)
        },
        Case("of a later history that knew the file, begun anew once", "fork [a: 0]") {
            ($0.history, $0.lineage.restarts) = (8, 1)
            $0.base?.news = JournalBase.News()
        },
        Case("of a process that knew another file", nothing) { ($0.history, $0.previous, $0.base) = (8, 0, otherFile) },
        Case("of a process that knew the file with which the known history began", "fork [a: 8]") {
            $0.history = 8
            $0.base?.mirrors = [JournalBase.Mirror(FileVersion(of: [9]), [JournalEntry(key: "c", value: nil)])]
        },
        Case("of a process that knew nothing", nothing) { ($0.history, $0.previous, $0.base) = (8, 0, noFile) },
        Case("of another history, put in the place of one", nothing) {
            ($0.history, $0.base) = (8, otherFile)
        },
        Case("of a later history, begun anew where there was none", nothing) {
            ($0.history, $0.lineage.start, $0.base) = (8, start(4, 1), otherFile)
        },
        Case("of an earlier history, begun anew where there was none", "fork [a: 8]") {
            ($0.history, $0.lineage.start, $0.base) = (6, start(4, 1), otherFile)
        },
        Case("of another history, begun anew more often", nothing) {
            ($0.history, $0.position, $0.base) = (8, 6, otherFile)
            $0.lineage = JournalLineage(resets: 3, restarts: 3)
        },
        Case("of another history, which began with the file as it was", "fork [a: 0]") {
            ($0.history, $0.lineage.origin) = (8, FileVersion(of: [1]))
        },
        Case("of another history, which began with the file as it may be", "fork [a: 7]") {
            ($0.history, $0.lineage.origin) = (8, FileVersion(of: [2]))
        },
        Case("of another history, which began with a file that nobody knows here", nothing) {
            ($0.history, $0.lineage.origin, $0.base) = (8, FileVersion(of: [3]), otherFile)
        },
        Case("of another history, without all values", "restored") { ($0.history, $0.base) = (8, nil) },
    ]

    @Test("How a journal in the place of the known one relates to it", arguments: cases)
    func relation(_ example: Case) {
        let relation = Self.known.relation(to: example.reading, example.header, isContinued: false)
        #expect(relation.text == example.expected)
    }

    @Test("What has been changed here since the place is newer than what the other one began with") func ancestor() {
        let (known, base) = (Self.known, SettingTree(["a": .integer(8), "c": .integer(9)]))
        let beginning = SettingTree(["a": .integer(0), "g": .dictionary(["b": .integer(2)])])
        let changed = known.ancestor(since: beginning, base)
        #expect(changed.root == ["a": .integer(8), "g": .dictionary(["b": .integer(2)])])
        #expect(known.ancestor(since: beginning, nil) == beginning)
        #expect(known.ancestor(since: nil, base) == base && known.ancestor(since: nil, nil) == SettingTree())
    }

    @Test(
        "A journal that has at the known end what was there is the same one, whatever its header says", arguments: cases
    )
    func continued(_ example: Case) {
        let relation = Self.known.relation(to: example.reading, example.header, isContinued: true)
        #expect(relation.text == "same")
    }

    @Test("Whoever knew no journal takes over the one that is there", arguments: cases)
    func unknown(_ example: Case) {
        for isContinued in [false, true] {
            var known = Self.known
            known.token = nil
            #expect(known.relation(to: example.reading, example.header, isContinued: isContinued).text == "descendant")
            known = Self.known
            known.end.generation = 0
            #expect(known.relation(to: example.reading, example.header, isContinued: isContinued).text == "descendant")
        }
    }

    @Test("A journal that cannot be read is none") func unusable() {
        let example = Self.cases[0]
        for reading in [JournalReading(.damaged), JournalReading(.empty), JournalReading(.newerVersion(9))] {
            #expect(Self.known.relation(to: reading, example.header, isContinued: true).text == "unusable")
        }
        #expect(Self.known.relation(to: example.reading, nil, isContinued: true).text == "unusable")
        let begun = JournalReading(JournalScan(end: .start(of: 4)))
        #expect(Self.known.relation(to: begun, example.header, isContinued: true).text == "unusable")
    }
}

extension JournalRelation {
    fileprivate var text: String {
        switch self {
        case .unusable: "unusable"
        case .same: "same"
        case .descendant: "descendant"
        case .fork(let tree, let place):
            "fork \(tree.map { Self.text($0) } ?? "unknown")" + (place.map { " at \($0.position)" } ?? "")
        case .restored: "restored"
        }
    }

    private static func text(_ tree: SettingTree) -> String {
        "[\(tree.leafKeys.sorted().map { "\($0): \(SettingTreeText.text(tree[$0]))" }.joined(separator: ", "))]"
    }
}

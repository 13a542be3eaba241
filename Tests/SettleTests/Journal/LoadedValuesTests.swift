import Testing

@testable import Settle

/// What a load makes of a journal and a file.
@Suite struct LoadedValuesTests {
    private let first = FileVersion(of: [1]), second = FileVersion(of: [2]), third = FileVersion(of: [3])

    private func tree(_ values: [String: Int64]) -> SettingTree {
        SettingTree(SettingValue.Entries(uniqueKeysWithValues: values.map { ($0.key, .integer($0.value)) }))
    }

    private func values(_ values: [SettingKey: Int64?]) -> JournalRecord.Content {
        let entries = values.sorted(by: \.key).map { JournalEntry(key: $0.key, value: $0.value.map { .integer($0) }) }
        return .values(JournalBatch(revision: 1, entries: entries))
    }

    /// Of a file that has everything.
    private func base(_ values: [String: Int64], _ version: FileVersion) -> JournalRecord.Content {
        .base(JournalBase(tree: tree(values), mirrors: [JournalBase.Mirror(version)]))
    }

    /// The records stand at 100, 200 and so on.
    private func journal(
        _ contents: [JournalRecord.Content?], damage: [JournalDamage] = [], isTorn: Bool = false
    ) -> JournalReading {
        let records = contents.enumerated().compactMap { index, content in
            content.map { (offset: 100 * (index + 1), record: JournalRecord($0, durableEnd: 100)) }
        }
        return JournalReading(records: records, damage: damage, isTorn: isTorn)
    }

    private func lost(_ offset: Int, _ keys: [SettingKey]? = nil) -> [JournalDamage] {
        [JournalDamage(offset: offset, keys: keys)]
    }

    private func loaded(_ journal: JournalReading?) -> LoadedValues {
        var journal = journal
        return LoadedValues(&journal)
    }

    private func joined(
        _ journal: JournalReading?, _ file: SettingTree, _ version: FileVersion
    ) -> LoadedValues {
        var found = loaded(journal)
        found.join(file, version) { $0 == $1 }
        // Whatever is found, the file is known with what it has.
        #expect(found.state.mirrors.map(\.version) == [version])
        #expect(found.state.mirrors[0].difference.mirror(of: found.tree) == file)
        return found
    }

    // MARK: State

    @Test("A damaged journal keeps what it has of state that the file of state lacks", arguments: [true, false])
    func olderState(isDamaged: Bool) {
        let old = JournalBase.Mirror(first, isOfState: true)
        let since = JournalBase.Mirror(first, [JournalEntry(key: "s", value: .integer(1))], isOfState: true)
        let log = journal(
            [
                base(["a": 1, "s": 1, "t": 5], second), .state(JournalStateKeys(added: ["s", "t"], mirrors: [old])),
                values(["s": 2]),
                // The writer has ended before the file was the new version.
                .state(JournalStateKeys(mirrors: [since, JournalBase.Mirror(third, isOfState: true)])),
            ], damage: isDamaged ? lost(50) : [])
        var found = loaded(log)
        if !found.knowsState(first) {
            #expect(found.joinState(tree(["s": 1, "t": 5]), first) { $0 == $1 } == nil)
        }
        #expect(found.tree == tree(["a": 1, "s": 2, "t": 5]))
        #expect(found.state.stateFile.isBehind(found.tree))
    }

    // MARK: No journal

    @Test("Without a journal, the file has everything") func imported() {
        let found = joined(nil, tree(["a": 1]), first)
        #expect(found.tree == tree(["a": 1]) && found.edit == nil && found.isWhole)
        #expect(!found.hadFile && !found.hadValues && !found.isComplete)
        let nothing = loaded(nil)
        #expect(nothing.tree == SettingTree() && nothing.isWhole && nothing.state.mirror(.absent) != nil)
    }

    @Test("A journal without a record is as none") func empty() {
        #expect(joined(journal([]), tree(["a": 1]), first).tree == tree(["a": 1]))
    }

    // MARK: A whole journal

    @Test("A file that the journal knows needs no look: the journal has everything") func known() {
        let found = loaded(
            journal([base(["a": 1], first), values(["a": 2]), .mirroring(second), values(["b": 3])]))
        #expect(found.tree == tree(["a": 2, "b": 3]) && found.isWhole && found.isComplete)
        #expect(found.state.mirror(first)?.difference.mirror(of: found.tree) == tree(["a": 1]))
        #expect(found.state.mirror(second)?.difference.mirror(of: found.tree) == tree(["a": 2]))
        #expect(found.state.mirror(third) == nil)
        #expect(found.hadFile && found.hadValues && found.keys == ["a", "b"])
    }

    @Test("What was edited in the file wins, and what was not stays in force") func edited() {
        let log = journal([base(["a": 1, "b": 1, "c": 1], first), values(["a": 2, "d": 4])])
        let found = joined(log, tree(["a": 1, "b": 7, "e": 5]), second)
        #expect(found.tree == tree(["a": 2, "b": 7, "d": 4, "e": 5]) && found.isWhole)
        #expect(found.edit?.batch.values == ["b": .integer(7), "c": nil, "e": .integer(5)])
        #expect(found.edit?.tree == tree(["a": 2, "b": 1, "c": 1, "d": 4]))
        #expect(found.state.kept.values == ["b": [.integer(1)]])
    }

    @Test("An edit of what has been stored since wins, too") func editedBoth() {
        let found = joined(journal([base(["a": 1], first), values(["a": 2])]), tree(["a": 3]), second)
        #expect(found.tree == tree(["a": 3]) && found.edit?.batch.values == ["a": .integer(3)])
        #expect(found.state.kept.values == ["a": [.integer(2)]])
    }

    @Test("What is in one of the versions that the file may have had is no edit") func begun() {
        let log = journal([
            base(["a": 1, "b": 1], first), values(["a": 2]), .mirroring(second), values(["a": 3, "b": 3]),
        ])
        // The editor began with either version, and has changed only `c`.
        for file in [["a": 1, "b": 1, "c": 9], ["a": 2, "b": 1, "c": 9]] as [[String: Int64]] {
            let found = joined(log, tree(file), third)
            #expect(found.edit?.batch.values == ["c": .integer(9)])
            #expect(found.tree == tree(["a": 3, "b": 3, "c": 9]))
        }
        // Once a version is confirmed, the value of the one before has been put back by somebody.
        let confirmed = journal([base(["a": 1], first), values(["a": 2]), .mirroring(second), .mirrored(second)])
        #expect(joined(confirmed, tree(["a": 1]), third).tree == tree(["a": 1]))
    }

    @Test("A file with the same values in other words is no edit") func spelled() {
        let found = joined(journal([base(["a": 1], first), values(["b": 2])]), tree(["a": 1]), second)
        #expect(found.edit?.batch.entries.isEmpty == true && found.tree == tree(["a": 1, "b": 2]))
        // Nor are values that the format can't tell apart.
        var alike = loaded(journal([base(["a": 1], first)]))
        alike.join(SettingTree(["a": .real(1)]), second) { _, _ in true }
        #expect(alike.tree == tree(["a": 1]) && alike.edit?.batch.entries.isEmpty == true)
    }

    @Test("A removed file leaves what it did not have") func removed() {
        var found = loaded(journal([base(["a": 1, "b": 1], first), values(["b": 2, "c": 3])]))
        found.removeFile()
        #expect(found.tree == tree(["b": 2, "c": 3]))
        #expect(found.edit?.batch.values == ["a": nil] && found.edit?.tree == tree(["a": 1, "b": 2, "c": 3]))
        #expect(found.state.mirrors.map(\.version) == [.absent])
        #expect(found.state.mirrors[0].difference.mirror(of: found.tree) == SettingTree())
    }

    @Test("A file that was never written was not removed") func neverWritten() {
        #expect(!loaded(journal([base([:], .absent), values(["a": 1])])).hadFile)
        #expect(!loaded(journal([base([:], .absent), .mirroring(first), .mirrored(.absent)])).hadFile)
        #expect(loaded(journal([base([:], .absent), .mirroring(first), .mirrored(first)])).hadFile)
        #expect(
            loaded(journal([base([:], .absent), .edited(JournalBase.Mirror(first), JournalBatch(revision: 0))])).hadFile
        )
        #expect(!loaded(journal([base(["a": 1], .absent), .mirrored(.absent)])).hadValues)
    }

    @Test("Of a file that cannot be read nothing is needed, if the journal has everything") func unparsable() {
        let contents = [base(["a": 1], first), values(["a": 2])]
        #expect(loaded(journal(contents)).isComplete)
        let torn = loaded(journal(contents, isTorn: true))
        #expect(!torn.isComplete && torn.isWhole && torn.isTorn)
        #expect(!loaded(journal(contents, damage: lost(150))).isComplete)
        #expect(!loaded(journal([nil, values(["a": 2])])).isComplete)
    }

    // MARK: A damaged journal

    @Test("A file has what the journal has lost before it was written") func damagedBefore() {
        let log = journal(
            [base(["a": 1], first), nil, .mirroring(second), .mirrored(second), values(["c": 3])],
            damage: lost(200, ["b"]))
        let found = joined(log, tree(["a": 1, "b": 2]), second)
        #expect(found.isWhole && found.edit == nil && found.tree == tree(["a": 1, "b": 2, "c": 3]))
    }

    @Test("Without the base, too") func noBaseBefore() {
        let log = journal([nil, values(["a": 2]), .mirroring(second), values(["c": 3])], damage: lost(100))
        let found = joined(log, tree(["a": 2, "b": 2]), second)
        #expect(found.isWhole && !found.isComplete && found.tree == tree(["a": 2, "b": 2, "c": 3]))
    }

    @Test("What is lost behind the file's version is told as missing") func damagedBehind() {
        let log = journal([base(["a": 1], first), nil, values(["c": 3])], damage: lost(200, ["b"]))
        let found = joined(log, tree(["a": 1]), first)
        #expect(!found.isWhole && found.edit == nil && found.tree == tree(["a": 1, "c": 3]))
    }

    @Test("A file that was edited beside a damaged journal is joined with what is left") func damagedAndEdited() {
        let log = journal([base(["a": 1, "b": 1], first), nil, values(["c": 3])], damage: lost(200))
        let found = joined(log, tree(["a": 1, "b": 7]), second)
        #expect(!found.isWhole && found.tree == tree(["a": 1, "b": 7, "c": 3]))
        #expect(found.edit?.batch.values == ["b": .integer(7)])
    }

    @Test("Without the base and with an unknown file, what was stored behind the last known version counts")
    func noBase() {
        let log = journal([nil, values(["a": 2]), .mirroring(second), values(["c": 3])], damage: lost(100))
        let found = joined(log, tree(["a": 5]), third)
        #expect(!found.isWhole && found.edit == nil && found.tree == tree(["a": 5, "c": 3]))
        let without = joined(journal([nil, values(["a": 2])], damage: lost(100)), tree(["a": 5, "b": 6]), third)
        #expect(without.tree == tree(["a": 2, "b": 6]))
    }

    // MARK: A damaged journal and a damaged file

    @Test("An earlier version of the file has what of the journal's keys is lost") func earlier() {
        let earlier = tree(["a": 0, "b": 8, "c": 9])
        var found = loaded(journal([base(["a": 1], first), nil, values(["c": 3])], damage: lost(200, ["b"])))
        found.use(earlier)
        #expect(!found.isWhole && found.tree == tree(["a": 1, "b": 8, "c": 3]))
        // Of other keys nothing is lost.
        found = loaded(journal([base([:], first), nil, values(["c": 3])], damage: lost(200, ["b"])))
        found.use(earlier)
        #expect(found.tree == tree(["b": 8, "c": 3]))
        // Any may be.
        found = loaded(journal([base([:], first), nil, values(["c": 3])], damage: lost(200)))
        found.use(earlier)
        #expect(found.tree == tree(["a": 0, "b": 8, "c": 3]))
    }

    @Test("Without the base, an earlier version has what the records lack") func earlierWithoutBase() {
        var found = loaded(journal([nil, values(["a": 2, "b": nil])], damage: lost(100)))
        found.use(tree(["a": 0, "b": 8, "c": 9]))
        #expect(!found.isWhole && found.tree == tree(["a": 2, "c": 9]))
        #expect(found.state.mirrors.map(\.version) == [.absent])
        #expect(found.state.mirrors[0].difference.mirror(of: found.tree) == SettingTree())
    }

    // MARK: A file that is not there

    private enum Kind: Equatable { case absent, intact, removed }

    private func outcome(_ log: JournalReading?, remnant: FilePath? = nil) throws -> (Kind, SettingTree) {
        var found = loaded(log)
        let names = FileNames(FilePath("/settings.json"))
        let outcome = try found.outcomeWithoutFile(names, remnant: remnant)
        switch outcome {
        case .absent: return (.absent, found.tree)
        case .removed: return (.removed, found.tree)
        default: return (.intact, found.tree)
        }
    }

    @Test("A file that was removed is told from one that has never been there") func absent() throws {
        let remnant = FilePath("/.settings.json.previous")
        let noFile = JournalRecord.Content.base(JournalBase(tree: tree([:]), mirrors: [JournalBase.Mirror(.absent)]))
        let cases: [(JournalReading?, FilePath?, Kind, [String: Int64])] = [
            (nil, nil, .absent, [:]),
            (nil, remnant, .removed, [:]),
            // Only the file had `a`.
            (journal([base(["a": 1], first)]), nil, .removed, [:]),
            // Stored since the removal was noticed.
            (journal([noFile, values(["a": 1])]), remnant, .intact, ["a": 1]),
            (journal([base(["a": 1], first), .removal(from: tree(["a": 1]))]), nil, .intact, ["a": 1]),
            (journal([base([:], first), .removal(from: tree([:]))]), nil, .removed, [:]),
            (journal([noFile, values(["a": 1]), values(["a": nil])]), nil, .intact, [:]),
            (journal([noFile, values(["a": 1]), values(["a": nil])]), remnant, .removed, [:]),
            (journal([noFile]), nil, .absent, [:]),
        ]
        for (index, (log, remnant, kind, values)) in cases.enumerated() {
            let found = try outcome(log, remnant: remnant)
            #expect(found.0 == kind && found.1 == tree(values), "case \(index): \(found)")
        }
    }

    @Test("What stands beside a missing file is asked for only if the journal does not say") func unasked() throws {
        let names = FileNames(FilePath("/settings.json"))
        for log in [journal([base(["a": 1], first)]), journal([base([:], first), .removal(from: tree([:]))])] {
            var (found, asked) = (loaded(log), false)
            func remnant() -> FilePath? {
                asked = true
                return nil
            }
            _ = try found.outcomeWithoutFile(names, remnant: remnant())
            #expect(!asked)
        }
    }

    @Test("An empty file counts as none only if the journal shows nothing of a file") func empties() {
        let noFile = JournalRecord.Content.base(JournalBase(tree: tree([:]), mirrors: [JournalBase.Mirror(.absent)]))
        #expect(LoadedValues.hasNeverHadFile(nil))
        #expect(LoadedValues.hasNeverHadFile(journal([noFile])))
        #expect(!LoadedValues.hasNeverHadFile(journal([])))
        #expect(!LoadedValues.hasNeverHadFile(journal([noFile], damage: lost(50))))
        #expect(!LoadedValues.hasNeverHadFile(journal([base([:], first)])))
    }

    // MARK: Nothing but parts

    @Test("What an earlier version has stays in force, with the values behind it, whatever else the journal says")
    func earlierBetweenOthers() {
        var found = loaded(journal([values(["a": 2]), .mirrored(first), values(["b": 3])], damage: lost(50)))
        found.use(tree(["a": 1, "c": 1]))
        #expect(found.tree == tree(["a": 2, "b": 3, "c": 1]) && !found.isWhole)
        var known = loaded(journal([base(["a": 2], first)], damage: lost(150, ["b"])))
        known.use(tree(["a": 1, "b": 1, "c": 1]))
        #expect(known.tree == tree(["a": 2, "b": 1]))
    }
}

extension LoadedValues {
    fileprivate init(_ log: JournalReading?) {
        var copy = log
        self.init(&copy)
    }
}

import Settle
import Testing

@Suite struct JournalReplayTests {
    private let old = FileVersion(of: [0])
    private let first = FileVersion(of: [1])
    private let second = FileVersion(of: [2])
    private let unknown = FileVersion(of: [9])

    /// `a` is in `old` and in `first`; `b` in `first`; `c` was written after that.
    private func journal() -> JournalSample {
        var sample = JournalSample()
        sample.append("a", .integer(1))
        sample.append(.checkpointed(old, coveredEnd: sample.end.offset))
        sample.append("b", .integer(2))
        let covered = sample.end.offset
        sample.append(.checkpoint(first, coveredEnd: covered))
        sample.append("c", .integer(3))
        sample.append(.checkpointed(first, coveredEnd: covered))
        return sample
    }

    private func replay(_ sample: JournalSample, _ file: FileVersion) -> JournalReplay {
        JournalReplay(records: sample.salvage().records, file: file)
    }

    private func keys(_ batches: [JournalBatch]?) -> [SettingKey]? {
        batches?.flatMap { $0.entries.map(\.key) }
    }

    private func apply(
        _ replay: JournalReplay, _ root: SettingValue.Entries
    ) -> (root: SettingValue.Entries, kept: [SettingKey]) {
        var tree = SettingTree(root)
        let kept = replay.apply(to: &tree) { $0 == $1 }
        return (tree.root, kept)
    }

    @Test("A file at the last checkpoint lacks the batches after what that covers")
    func checkpointed() {
        let replay = replay(journal(), first)
        #expect(replay.match == .current)
        #expect(keys(replay.batches) == ["c"])
        #expect(apply(replay, ["a": .integer(1)]).root == ["a": .integer(1), "c": .integer(3)])
    }

    @Test("A file at an unconfirmed checkpoint lacks the batches after what that covers")
    func intent() {
        var sample = journal()
        sample.append("d", .integer(4))
        sample.append(.checkpoint(second, coveredEnd: sample.end.offset))
        sample.append("e", .integer(5))
        #expect(keys(replay(sample, second).batches) == ["e"])
        #expect(replay(sample, second).match == .current)
        // The checkpoint was not carried out.
        #expect(keys(replay(sample, first).batches) == ["c", "d", "e"])
        #expect(replay(sample, first).match == .current)
    }

    @Test("Of several unconfirmed checkpoints, the one that matches the file counts")
    func severalIntents() {
        var sample = journal()
        sample.append(.checkpoint(second, coveredEnd: sample.end.offset))
        sample.append("d", .integer(4))
        sample.append(.checkpoint(unknown, coveredEnd: sample.end.offset))
        #expect(keys(replay(sample, second).batches) == ["d"])
        #expect(keys(replay(sample, unknown).batches) == [])
    }

    @Test("A file at a merged edit lacks all batches since the checkpoint, including the edit")
    func edit() {
        var sample = journal()
        sample.append("a", .integer(10), before: .value(.integer(1)))
        sample.append(
            .edited(
                second,
                JournalBatch(
                    revision: 0, entries: [JournalEntry(key: "a", value: .integer(20), before: .value(.integer(10)))])))
        sample.append("d", .integer(4))
        let replay = replay(sample, second)
        #expect(replay.match == .current)
        #expect(keys(replay.batches) == ["c", "a", "a", "d"])
        #expect(apply(replay, ["a": .integer(20)]).root["a"] == .integer(20))
    }

    @Test("A journal without a checkpoint matches only a missing file")
    func noCheckpoint() {
        var sample = JournalSample()
        sample.append("a", .integer(1))
        #expect(replay(sample, .absent).match == .current)
        #expect(keys(replay(sample, .absent).batches) == ["a"])
        #expect(replay(sample, FileVersion(of: [])).match == .edited)
        #expect(JournalReplay(records: [], file: .absent).batches.isEmpty)
    }

    @Test("A restored version from before the last checkpoint counts as edited")
    func restored() {
        let replay = replay(journal(), old)
        #expect(replay.match == .known)
        #expect(keys(replay.batches) == ["c"])
        let result = apply(replay, ["a": .integer(1)])
        #expect(result.root == ["a": .integer(1), "c": .integer(3)] && result.kept == [])
    }

    @Test("In an edited file, a key with one of its journaled values gets the newest, and any other value stays")
    func editedKeys() {
        var sample = journal()
        for value in [2, 3, 4] as [Int64] {
            sample.append("x", .integer(value), before: .value(.integer(value - 1)))
            sample.append("y.z", value == 4 ? nil : .integer(value), before: .value(.integer(value - 1)))
            sample.append("new", .integer(value), before: value == 2 ? .absent : .value(.integer(value - 1)))
            sample.append("blind", .integer(value), before: .unknown)
        }
        let replay = replay(sample, unknown)
        #expect(replay.match == .edited)
        let newest: SettingValue.Entries = [
            "x": .integer(4), "new": .integer(4), "blind": .integer(4), "c": .integer(3), "w": .null,
        ]
        // The value before the first journaled one, and two of those between.
        for value in [1, 2, 3] as [Int64] {
            let file: SettingValue.Entries = [
                "x": .integer(value), "y": .dictionary(["z": .integer(value)]), "blind": .integer(max(value, 2)),
                "w": .null,
            ]
            let result = apply(replay, file)
            #expect(result.root == newest && result.kept == [])
        }
        #expect(apply(replay, newest).root == newest)
        let edited: SettingValue.Entries = [
            "x": .integer(7), "y": .dictionary(["z": .integer(7)]), "new": .integer(7), "c": .integer(3), "w": .null,
        ]
        // What `blind` was before is unknown, so its absence may be an edit.
        #expect(apply(replay, edited).root == edited)
        #expect(apply(replay, edited).kept == ["blind", "new", "x", "y.z"])
    }

    @Test("In an edited file, a dictionary that was journaled as a whole is decided key by key")
    func editedDictionaries() {
        var sample = journal()
        let values = [1, 2].map { SettingValue.dictionary(["p": .integer($0), "q": .integer($0), "r": .integer($0)]) }
        sample.append("d", values[0], before: .absent)
        sample.append("d", values[1], before: .value(values[0]))
        sample.append("d.q", nil, before: .value(.integer(2)))
        let replay = replay(sample, unknown)
        func result(_ file: SettingValue.Entries) -> SettingValue? {
            apply(replay, ["d": .dictionary(file)]).root["d"]
        }
        #expect(
            result(["p": .integer(1), "q": .integer(1), "r": .integer(7)])
                == .dictionary(["p": .integer(2), "r": .integer(7)]))
        #expect(
            result(["new": .integer(7)])
                == .dictionary(["p": .integer(2), "r": .integer(2), "new": .integer(7)]))
        #expect(
            result(["p": .integer(1), "q": .integer(7)])
                == .dictionary(["p": .integer(2), "q": .integer(7), "r": .integer(2)]))
        #expect(apply(replay, [:]).root["d"] == .dictionary(["p": .integer(2), "r": .integer(2)]))
        // A key in the dictionary was journaled before it.
        sample.append("e.p", .integer(1), before: .absent)
        sample.append("e", .dictionary(["p": .integer(2)]), before: .value(.dictionary(["p": .integer(1)])))
        // Or after it.
        sample.append("f", .dictionary(["p": .integer(1)]), before: .absent)
        sample.append("f.p", .integer(2), before: .value(.integer(1)))
        for key in ["e", "f"] {
            #expect(apply(self.replay(sample, unknown), [:]).root[key] == .dictionary(["p": .integer(2)]))
        }
        // Another kind of value has replaced the dictionary.
        sample.append("g.p", .integer(2), before: .value(.integer(1)))
        sample.append("g", .integer(5), before: .value(.dictionary(["p": .integer(2)])))
        let replaced = apply(self.replay(sample, unknown), ["g": .dictionary(["p": .integer(2)])])
        #expect(replaced.root["g"] == .integer(5))
        // A name with a dot is a key like any other.
        let dotted = SettingValue.dictionary(["p": .integer(7), "a.b": .integer(1)])
        #expect(
            apply(replay, ["d": dotted]).root["d"]
                == .dictionary(["p": .integer(7), "a.b": .integer(1), "r": .integer(2)]))
        #expect(apply(replay, ["d": .integer(7)]).root["d"] == .integer(7))
    }

    @Test("The caller decides whether two values are the same, since a file may spell one differently")
    func spelling() {
        var sample = JournalSample()
        sample.append("a", .real(2), before: .value(.real(1)))
        sample.append("b", nil, before: .value(.real(1)))
        var tree = SettingTree(["a": .integer(1), "b": .integer(1)])
        let kept = replay(sample, unknown).apply(to: &tree) { left, right in
            guard case (.integer(let left)?, .real(let right)?) = (left, right) else { return left == right }
            return Double(left) == right
        }
        #expect(kept == [] && tree.root == ["a": .real(2)])
    }

    @Test("A whole tree replaces everything before it")
    func wholeTree() {
        var sample = journal()
        sample.append(.values(JournalBatch(revision: 9, tree: SettingTree(["t": .integer(1)]))))
        sample.append("u.v", .integer(2))
        #expect(
            apply(replay(sample, first), ["a": .integer(1)]).root
                == ["t": .integer(1), "u": .dictionary(["v": .integer(2)])])
        // In an edited file, it shows what each key was: `c` was set and removed again.
        let edited = apply(replay(sample, unknown), ["a": .integer(5), "c": .integer(3), "t": .integer(6)])
        #expect(
            edited.root == ["a": .integer(5), "t": .integer(6), "u": .dictionary(["v": .integer(2)])])
        #expect(edited.kept == ["t"])
    }

    @Test("The batches since a version are known if the journal mentions that version")
    func previousVersion() {
        var sample = journal()
        sample.append(.edited(second, JournalBatch(revision: 0, entries: [])))
        let records = sample.salvage().records
        #expect(keys(JournalReplay.batches(from: old, in: records)) == ["b", "c"])
        #expect(keys(JournalReplay.batches(from: first, in: records)) == ["c"])
        #expect(keys(JournalReplay.batches(from: second, in: records)) == ["c"])
        #expect(JournalReplay.batches(from: unknown, in: records) == nil)
        #expect(JournalReplay.batches(from: .absent, in: records) == nil)
    }

    @Test("An edit before the last checkpoint lacks the batches since the checkpoint before it")
    func previousEdit() {
        var sample = JournalSample()
        sample.append(.checkpointed(old, coveredEnd: 64))
        sample.append("a", .integer(1))
        sample.append(.edited(second, JournalBatch(revision: 0, entries: [])))
        sample.append(.checkpointed(first, coveredEnd: sample.end.offset))
        sample.append("b", .integer(2))
        #expect(keys(JournalReplay.batches(from: second, in: sample.salvage().records)) == ["a", "b"])
    }

    @Test("Of two records about the same version, the later one counts")
    func laterMention() {
        var sample = journal()
        sample.append("d", .integer(4))
        sample.append(.checkpoint(first, coveredEnd: sample.end.offset))
        #expect(keys(replay(sample, first).batches) == [])
    }
}

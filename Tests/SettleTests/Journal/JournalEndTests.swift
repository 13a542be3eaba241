import Testing

@testable import Settle

@Suite struct JournalEndTests {
    private let first = FileVersion(of: [1]), second = FileVersion(of: [2])

    private func base(_ mirrors: JournalBase.Mirror...) -> JournalRecord.Content {
        .base(JournalBase(tree: SettingTree(["a": .integer(1)]), mirrors: mirrors))
    }

    private func journal(_ contents: [JournalRecord.Content]) -> JournalSample {
        var sample = JournalSample()
        for content in contents { sample.append(content) }
        return sample
    }

    private func version(_ bytes: [UInt8]) -> FileVersion? { bytes.withUnsafeBytes { JournalEnd.version(in: $0) } }

    private func version(_ contents: JournalRecord.Content...) -> FileVersion? { version(journal(contents).bytes) }

    private let values = JournalRecord.Content.values(
        JournalBatch(revision: 1, entries: [JournalEntry(key: "a", value: .integer(2))]))
    private let edit = JournalBatch(revision: 0, entries: [JournalEntry(key: "b", value: .integer(3))])

    @Test("A file that has everything is known from the journal's end") func whole() {
        #expect(version(base(JournalBase.Mirror(first))) == first)
        #expect(version(base(JournalBase.Mirror(first)), .mirroring(second), .mirrored(second)) == second)
        #expect(version(base(JournalBase.Mirror(first)), values, .mirroring(second), .mirrored(second)) == second)
        #expect(version(base(JournalBase.Mirror(.absent))) == .absent)
    }

    @Test("Records that change neither values nor the file are no matter") func others() {
        let kept = JournalRecord.Content.kept(JournalBatch(revision: 0))
        let history = JournalRecord.Content.history(JournalHistory(policy: .keep()))
        #expect(version(base(JournalBase.Mirror(first)), kept, history) == first)
        #expect(
            version(base(JournalBase.Mirror(first)), .mirroring(second), kept, .mirrored(second), history) == second)
    }

    @Test("A file that lacks something, or may be another one, is not") func lacking() {
        #expect(version(base(JournalBase.Mirror(first)), values) == nil)
        #expect(version(base(JournalBase.Mirror(first)), .mirroring(second)) == nil)
        #expect(version(base(JournalBase.Mirror(first)), .mirroring(second), values, .mirrored(second)) == nil)
        #expect(version(base(JournalBase.Mirror(first)), .mirroring(second), .mirrored(first)) == nil)
        #expect(version(base(JournalBase.Mirror(first)), .mirroring(second), .mirrored(second), values) == nil)
        #expect(version(base(JournalBase.Mirror(first)), .edited(JournalBase.Mirror(second), edit)) == nil)
        #expect(version(base(JournalBase.Mirror(first)), .mirrored(second)) == nil)
        #expect(version(base(JournalBase.Mirror(first), JournalBase.Mirror(second))) == nil)
        #expect(version(base(JournalBase.Mirror(first, edit.entries))) == nil)
    }

    @Test("What stands in front of the base is past") func past() {
        var sample = JournalSample()
        sample.append(.past(JournalTransactions(position: 1, count: 1, time: 0)))
        let header = JournalHeader(
            generation: JournalSample.generation, beginning: JournalSample.beginning, base: UInt64(sample.end.offset))
        sample.append(base(JournalBase.Mirror(first)))
        sample.bytes.replaceSubrange(..<JournalHeader.size, with: header.encoded)
        #expect(version(sample.bytes) == first)
        sample.append(values)
        #expect(version(sample.bytes) == nil)
    }

    @Test("Nothing is known from bytes that are no journal, or are damaged") func damaged() {
        let sample = journal([base(JournalBase.Mirror(first)), .mirroring(second), .mirrored(second)])
        #expect(version(sample.bytes + [UInt8](repeating: 0, count: 100)) == second)
        #expect(version(sample.bytes + [0, 0, 0, 1]) == nil)
        #expect(
            version([]) == nil && version([UInt8](repeating: 0, count: 4096)) == nil
                && version(JournalSample().bytes) == nil)
        var header = JournalHeader(generation: 3, beginning: JournalSample.beginning)
        header.base = 1 << 20
        #expect(version(header.encoded) == nil)
        for offset in sample.bytes.indices {
            var bytes = sample.bytes
            bytes[offset] ^= 1
            let found = version(bytes)
            // Not even the version of before: the journal does not end there.
            #expect(found == nil, "\(offset)")
        }
        for size in 0..<sample.bytes.count {
            let found = version(Array(sample.bytes[..<size]))
            #expect(found == (size == sample.records[1].offset ? first : nil), "\(size)")
        }
    }
}

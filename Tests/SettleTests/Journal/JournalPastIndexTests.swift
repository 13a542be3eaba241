import Testing

@testable import Settle

@Suite struct JournalPastIndexTests {
    private static let times: [Double] = [10, 30, 20, 40]

    /// Records with the positions 3, 6, 9 and 12, and the base behind them.
    private let sample: JournalSample
    private let base: UInt64

    init() {
        var sample = JournalSample()
        for (index, time) in Self.times.enumerated() {
            let mutation = StoredMutation(key: .path("k\(index)"), oldValue: nil, newValue: .integer(Int64(index)))
            let transaction = StoredTransaction(
                time: time, author: TransactionAuthor(), origin: .local, count: 3, mutations: [mutation])
            sample.append(
                .past(JournalTransactions(position: UInt64(3 * (index + 1)), count: 3, time: time, list: [transaction]))
            )
        }
        base = UInt64(sample.end.offset)
        sample.append(.base(JournalBase(tree: SettingTree(), mirrors: [JournalBase.Mirror(.absent)])))
        self.sample = sample
    }

    private var header: JournalHeader {
        JournalHeader(generation: JournalSample.generation, beginning: JournalSample.beginning, base: base)
    }

    private var index: JournalPastIndex {
        var index = JournalPastIndex(header)
        index.add(sample.scan())
        return index
    }

    @Test("It knows where each record of the past stands, and no others") func places() {
        let index = index
        #expect(index.count == 4 && index.generation == JournalSample.generation)
        #expect(index.offsets(of: 0..<4) == sample.records.prefix(4).map(\.offset))
        #expect(index.offsets(of: 1..<3) == sample.records[1..<3].map(\.offset))
        #expect(index.offsets(of: 2..<2).isEmpty)
    }

    @Test("The bytes of some records end where the next one begins, or the base") func bytes() {
        for first in 0..<4 {
            for end in (first + 1)...4 {
                let range = index.bytes(of: first..<end)
                #expect(range == sample.records[first].offset..<sample.records[end].offset)
            }
        }
        #expect(index.bytes(of: 0..<0).isEmpty && index.bytes(of: 4..<4).isEmpty)
        #expect(index.bytes(of: 0..<4).upperBound == Int(base))
    }

    @Test("It finds the first record that ends behind a position") func positions() {
        let expected = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4]
        for (position, first) in expected.enumerated() {
            #expect(index.firstIndex(after: UInt64(position)) == first, "\(position)")
        }
    }

    @Test("It knows the newest time before a record, whatever the clocks said") func times() {
        let index = index
        #expect((0...4).map { index.newestTime(before: $0) } == [nil, 10, 30, 30, 40])
    }

    @Test("It knows the keys of which the records tell values") func keys() {
        #expect(index.mentioned.contains(anyOf: ["k0"]) && index.mentioned.contains(anyOf: ["x", "k3"]))
        #expect(!index.mentioned.contains(anyOf: ["x"]))
    }

    @Test("Scans that follow one another add up") func parts() {
        var index = JournalPastIndex(header)
        let middle = sample.records[2].offset
        let first = JournalSample.scan(Array(sample.bytes[..<middle]))
        index.add(first)
        #expect(index.count == 2 && index.bytes(of: 0..<2).upperBound == Int(base))
        index.add(Array(sample.bytes[middle...]).withUnsafeBytes { JournalScan.scan($0, at: middle, from: first.end) })
        #expect(index.offsets(of: 0..<4) == self.index.offsets(of: 0..<4))
        #expect(index.newestTime(before: 3) == 30)
    }

    @Test("Without a past there is nothing") func nothing() {
        var index = JournalPastIndex(JournalHeader(generation: 1, beginning: JournalSample.beginning))
        index.add(JournalSample.several().scan())
        #expect(index.count == 0 && index.firstIndex(after: 0) == 0 && index.newestTime(before: 0) == nil)
        #expect(index.bytes(of: 0..<0).isEmpty && index.mentioned.isEmpty)
    }
}

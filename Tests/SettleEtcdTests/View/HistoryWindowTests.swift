import Settle
import SettleTesting
import Testing

@testable import SettleEtcd

@Suite struct HistoryWindowTests {
    private static func step(_ window: inout HistoryWindow, _ body: (inout HistoryWindow) -> Bool) -> Bool {
        body(&window)
    }

    @Test("It grows until the first revision") func firstRevision() {
        var window = HistoryWindow(before: 100_000)
        #expect(window.start == 100_000 - 1_024)
        #expect(Self.step(&window) { $0.foundTooFew(isAny: true) } == true)
        #expect(window.start == 100_000 - 8 * 1_024 && !window.isAtBeginning)
        #expect(Self.step(&window) { $0.foundTooFew(isAny: false) } == true)
        #expect(window.start == 100_000 - 64 * 1_024)
        #expect(Self.step(&window) { $0.foundTooFew(isAny: false) } == true)
        #expect(window.start == 1 && window.isAtBeginning)
        #expect(Self.step(&window) { $0.foundTooFew(isAny: false) } == false)
    }

    @Test("A compacted start is the beginning") func compactedStart() {
        var window = HistoryWindow(before: 100_000)
        #expect(Self.step(&window) { $0.wasCompacted(upTo: 99_500) } == true)
        #expect(window.start == 99_500 && window.isAtBeginning)
        // A member that contradicts itself, and one that has compacted all of it.
        for revision in [99_500, 100_000] as [Int64] {
            #expect(Self.step(&window) { $0.wasCompacted(upTo: revision) } == false)
        }
    }

    /// Wherever the transactions are, and however much is too much: something is found in few steps, unless there is
    /// none.
    @Test("It finds something", arguments: 0..<200 as Range<UInt64>) func reachedRevision(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let end = Int64.random(in: 2...(1 << 40), using: &random)
        let budget = Int.random(in: 1...50, using: &random)
        // One revision has at most one transaction.
        let first = Int64.random(in: 1..<end, using: &random)
        let burst = (0..<Int64.random(in: 0...500, using: &random)).map { min(end, first + 1 + $0) }
        let positions = Set(burst + (0..<3).map { _ in Int64.random(in: 2...end, using: &random) }).sorted()
        var window = HistoryWindow(before: end)
        for step in 1... {
            guard step < 120 else {
                Issue.record("seed \(seed): it does not end")
                return
            }
            let found = positions.filter { $0 > window.start }
            if found.count > max(1, budget) {
                window.foundTooMuch(upTo: found[max(1, budget)])
            } else if found.count >= budget || !window.foundTooFew(isAny: !found.isEmpty) {
                #expect(!found.isEmpty, "seed \(seed)")
                return
            }
        }
    }
}

@Suite struct RecentHistoryTests {
    private func record(_ position: UInt64, at time: Double = 1_000, checksum: UInt64 = 1) -> StoredRecord {
        StoredRecord(
            token: ChangeToken(history: 1, position: position, checksum: checksum),
            transactions: [
                StoredTransaction(
                    time: time, author: TransactionAuthor(), origin: time == 0 ? .external : .local, mutations: [])
            ])
    }

    private func recent(_ policy: HistoryPolicy = .keep()) -> RecentHistory {
        var recent = RecentHistory()
        recent.policy = policy
        recent.begin(at: record(10).token)
        return recent
    }

    /// Also if the history was begun at a revision at which nothing was stored.
    @Test("Its end stays where it was") func fixedEnd() {
        var recent = recent()
        recent.prepend([record(7), record(9)], after: record(5).token, isWhole: false)
        #expect(recent.end == record(10).token && recent.beginning == record(5).token)
        #expect(recent.records(after: record(10).token, limit: 9) == [])
        #expect(recent.records(after: record(7).token, limit: 9) == [record(9)])
        recent.add(record(12))
        #expect(recent.end == record(12).token)
        #expect(recent.records(after: record(10).token, limit: 9) == [record(12)])
        #expect(recent.records(after: record(5).token, limit: 9) == [record(7), record(9), record(12)])
        // Once that is dropped, it is not known any more.
        for position in 13...1_100 as ClosedRange<UInt64> { recent.add(record(position)) }
        #expect(recent.records(after: record(10).token, limit: 9) == nil)
        #expect(recent.records(after: record(5).token, limit: 9) == nil)
    }

    @Test("More than there is room for is the end") func withoutRoom() {
        var recent = recent(.keep(transactions: 5))
        let earlier = (1...2_000).map { record(UInt64($0)) }
        recent.moveBeginning(to: record(2_000).token)
        recent.prepend(earlier, after: record(0).token, isWhole: false)
        #expect(recent.records.count == RecentHistory.limit)
        #expect(recent.beginning == record(2_000 - UInt64(RecentHistory.limit)).token)
        #expect(
            recent.page(before: nil, limit: 64, now: 1_000)?.records.map(\.token.position) == [
                2_000, 1_999, 1_998, 1_997, 1_996,
            ])
        // A larger policy has room.
        recent.policy = .keep(transactions: 5_000)
        #expect(recent.page(before: record(980).token, limit: 64, now: 1_000)?.isEnough == false)
    }

    @Test("A wrong clock cuts nothing off") func wrongClock() {
        let day = 86_400.0
        var recent = recent(.keep(for: .days(3)))
        let times = [1, 9, -900, 10, 0, 11].map { $0 * day }
        recent.moveBeginning(to: record(6).token)
        recent.prepend(
            times.enumerated().map { record(UInt64($0.offset + 1), at: $0.element) }, after: record(0).token,
            isWhole: false)
        let page = recent.page(before: nil, limit: 9, now: 11 * day)
        #expect(page?.records.map(\.token.position) == [6, 5, 4, 3, 2] && page?.isEnough == false)
        // No time is known of the fifth: that of what came before it.
        #expect(page?.records[1].transactions[0].time == 10 * day)
    }
}

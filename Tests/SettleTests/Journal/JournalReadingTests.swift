import Testing

@testable import Settle

@Suite struct JournalReadingTests {
    private let base = JournalBase(tree: SettingTree(["a": .integer(1)]), mirrors: [JournalBase.Mirror(.absent)])

    private func counted(_ position: UInt64) -> JournalRecord.Content {
        var batch = JournalBatch(revision: 1)
        batch.transactions = JournalTransactions(position: position, count: 1, time: 0)
        return .values(batch)
    }

    @Test("A journal that cannot be read says why") func errors() {
        let damaged = JournalReading(.damaged)
        #expect(damaged.isUnusable && damaged.damage == [JournalDamage(offset: 0, keys: nil)])
        #expect(damaged.newerVersion == nil && damaged.base == nil)
        let empty = JournalReading(.empty)
        #expect(empty.isUnusable && empty.damage.isEmpty && empty.newerVersion == nil)
        let newer = JournalReading(.newerVersion(9))
        #expect(newer.isUnusable && newer.damage.isEmpty && newer.newerVersion == .newerVersion(9))
    }

    @Test("A journal without a record is as none, unless they are damaged") func noRecords() {
        #expect(JournalReading(JournalSample().scan()).isUnusable)
        var scan = JournalSample().scan()
        scan.damage = [JournalDamage(offset: 120, keys: ["a"])]
        #expect(!JournalReading(scan).isUnusable)
    }

    @Test("It begins with its base, and knows how much of it is on stable storage") func records() {
        var sample = JournalSample()
        sample.append(.base(base), durableEnd: 0)
        let fresh = JournalReading(sample.scan())
        #expect(fresh.base == base && fresh.lacksDurableEnd && fresh.durableEnd == 0 && !fresh.isTorn)
        sample.append("a", .integer(2), durableEnd: 160)
        sample.append("a", .integer(3), durableEnd: 120)
        sample.bytes += [1]
        let later = JournalReading(sample.scan())
        #expect(later.durableEnd == 160 && !later.lacksDurableEnd && later.isTorn && later.records.count == 3)
        var other = JournalSample()
        other.append("a", .integer(2), durableEnd: 0)
        other.append(.base(base))
        #expect(JournalReading(other.scan()).base == nil)
    }

    @Test("It contains the places of its beginning and of its records, and no others") func places() throws {
        var sample = JournalSample()
        sample.append(.base(base))
        sample.append(counted(1))
        sample.append("a", .integer(2))
        sample.append(counted(2))
        let (reading, header) = (
            JournalReading(sample.scan()), JournalHeader(generation: 3, beginning: JournalSample.beginning)
        )
        let last = try #require(reading.records.last?.record.content.transactions?.token(in: 7))
        #expect(reading.contains(JournalSample.beginning, header) && !reading.contains(JournalSample.beginning, nil))
        #expect(reading.contains(last, header) && reading.contains(last, nil))
        var other = last
        other.checksum ^= 1
        #expect(!reading.contains(other, header))
        #expect(!reading.contains(ChangeToken(history: 7, position: 3, checksum: last.checksum), header))
    }

    @Test("Its base can be taken, which leaves the versions of the file") func taken() throws {
        var sample = JournalSample()
        sample.append(.base(base))
        sample.append("b", .integer(2))
        var reading = JournalReading(sample.scan())
        let found = reading.takeBase()
        let taken = try #require(found)
        #expect(taken.offset == JournalHeader.size && taken.base == base)
        #expect(reading.base == JournalBase(tree: SettingTree(), mirrors: base.mirrors) && reading.records.count == 2)
        var other = JournalReading(sample.scan())
        let replay = JournalReplay(&other)
        #expect(replay.hasBase && replay.tree == SettingTree(["a": .integer(1), "b": .integer(2)]))
        #expect(other.base?.tree == SettingTree())
        var without = JournalReading(records: Array(reading.records.dropFirst()))
        let none = without.takeBase()
        #expect(none == nil)
        let rest = JournalReplay(&without)
        #expect(rest.tree == SettingTree(["b": .integer(2)]) && !rest.hasBase)
    }
}

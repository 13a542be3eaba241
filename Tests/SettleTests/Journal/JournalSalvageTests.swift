import Foundation
import Settle
import SettleTestSupport
import Testing

@Suite struct JournalSalvageTests {
    /// Damages the last byte of a record's payload.
    private func rot(_ sample: inout JournalSample, _ index: Int) {
        let range = sample.range(of: index)
        let size = Int(sample.bytes[range.lowerBound]) | Int(sample.bytes[range.lowerBound + 1]) << 8
        sample.bytes[range.lowerBound + 32 + size - 1] ^= 0x10
    }

    @Test("A corrupt record in the middle is skipped and its keys are reported, and later records count")
    func rotInTheMiddle() {
        var sample = JournalSample.several()
        rot(&sample, 1)
        let salvaged = sample.salvage()
        #expect(salvaged.found == sample.records.indices.filter { $0 != 1 }.map { sample.records[$0].record })
        #expect(salvaged.damage == [JournalDamage(offset: sample.records[1].offset, keys: ["b.c"])])
        #expect(salvaged.end == sample.end && salvaged.tail == .clean)
    }

    @Test("Several corrupt records are all reported, whether adjacent or apart")
    func severalRotten() {
        var sample = JournalSample()
        for index in 0..<6 {
            sample.append(.path("key\(index)"), .integer(Int64(index)), durableEnd: sample.end.offset)
        }
        for index in [1, 2, 4] { rot(&sample, index) }
        let salvaged = sample.salvage()
        #expect(salvaged.records.map(\.offset) == [0, 3, 5].map { sample.records[$0].offset })
        #expect(
            salvaged.damage
                == [1, 2, 4].map { JournalDamage(offset: sample.records[$0].offset, keys: [.path("key\($0)")]) })
    }

    @Test("Damaged keys are reported as unknown")
    func damagedKeys() {
        var sample = JournalSample.several()
        sample.bytes[sample.records[1].offset + 50] ^= 1
        #expect(sample.salvage().damage == [JournalDamage(offset: sample.records[1].offset, keys: nil)])
    }

    @Test("A corrupt checkpoint loses no key, and a corrupt whole tree may lose any")
    func keylessRecords() {
        var sample = JournalSample.several()
        rot(&sample, 2)
        rot(&sample, 5)
        #expect(
            sample.salvage().damage == [
                JournalDamage(offset: sample.records[2].offset, keys: []),
                JournalDamage(offset: sample.records[5].offset, keys: nil),
            ])
    }

    @Test("If only the length is damaged, the next record's chain shows that nothing else is lost")
    func damagedLength() {
        var sample = JournalSample.several()
        sample.bytes[sample.records[1].offset] ^= 0x40
        #expect(sample.salvage().damage == [JournalDamage(offset: sample.records[1].offset, keys: ["b.c"])])
    }

    @Test("If the extent of the loss is unknown, the known keys are reported, and that there may be more")
    func unknownExtent() {
        var sample = JournalSample.several()
        let offset = sample.records[1].offset
        for index in offset..<(offset + 32) { sample.bytes[index] = 0xFF }
        #expect(
            sample.salvage().damage == [
                JournalDamage(offset: offset, keys: ["b.c"]), JournalDamage(offset: offset, keys: nil),
            ])
    }

    @Test("A zeroed record in the middle is damage too")
    func zeroedRecord() {
        var sample = JournalSample.several()
        for index in sample.range(of: 1) { sample.bytes[index] = 0 }
        let salvaged = sample.salvage()
        #expect(salvaged.records.count == sample.records.count - 1)
        #expect(salvaged.damage.map(\.offset).contains(sample.records[1].offset))
        #expect(salvaged.damage.contains { $0.keys == nil })
    }

    @Test("A damaged record that no later one proves durable is a torn tail, whatever follows it")
    func unprovenTail() {
        var sample = JournalSample()
        sample.append("a", .integer(1))
        sample.append("torn", .integer(2))
        // Both prove only that the first record was durable.
        for key in ["b", "c"] as [SettingKey] { sample.append(key, .integer(3), durableEnd: sample.records[1].offset) }
        rot(&sample, 1)
        let salvaged = sample.salvage()
        #expect(salvaged.records.count == 1)
        #expect(salvaged.damage.isEmpty && salvaged.tail == .torn)
        #expect(salvaged.end.offset == sample.records[1].offset)
    }

    @Test("A record that claims durability beyond itself proves nothing")
    func falseWitness() {
        var sample = JournalSample()
        sample.append("a", .integer(1))
        sample.append("torn", .integer(2))
        sample.append("b", .integer(3), durableEnd: 1 << 40)
        rot(&sample, 1)
        #expect(sample.salvage().records.count == 1)
    }

    @Test("Records between a corrupt one and the one that proves it durable count")
    func recordsBeforeTheWitness() {
        var sample = JournalSample()
        sample.append("a", .integer(1))
        sample.append("rotten", .integer(2))
        sample.append("b", .integer(3))
        sample.append("rotten too", .integer(4))
        sample.append("c", .integer(5), durableEnd: sample.records[3].offset)
        rot(&sample, 1)
        rot(&sample, 3)
        let salvaged = sample.salvage()
        #expect(salvaged.records.map(\.offset) == [0, 2, 4].map { sample.records[$0].offset })
        #expect(salvaged.damage.map(\.keys) == [["rotten"], ["rotten too"]])
    }

    @Test("Bytes that look like long records everywhere don't take minutes to search")
    func cost() {
        let size = 1 << 20
        // The start of a record in every eight bytes: a payload of half of all bytes, and a kind.
        let fake: [UInt8] = [0, 0, UInt8((size / 2) >> 16), 0, 1, 0, 0, 0]
        let bytes = JournalSample().bytes + (0..<(size / 8)).flatMap { _ in fake }
        let start = secondsOnProcessor()
        #expect(JournalSample.salvage(bytes).tail == .torn)
        // Without a bound, the search would hash 2^35 bytes, for minutes.
        #expect(secondsOnProcessor() - start < 10)
    }
}

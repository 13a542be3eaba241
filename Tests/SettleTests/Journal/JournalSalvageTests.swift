import Foundation
import Settle
import Testing

@Suite struct JournalSalvageTests {
    /// Damages the body of a record: its last byte that is not padding.
    private func rot(_ sample: inout JournalSample, _ index: Int) {
        let range = sample.range(of: index)
        let size = Int(sample.bytes[range.lowerBound]) | Int(sample.bytes[range.lowerBound + 1]) << 8
        sample.bytes[range.lowerBound + 32 + size - 1] ^= 0x10
    }

    @Test("A record that has rotted in the middle is left out, its keys are named, and the later ones count")
    func rotInTheMiddle() {
        var sample = JournalSample.several()
        rot(&sample, 1)
        let salvaged = sample.salvage()
        #expect(salvaged.found == sample.records.indices.filter { $0 != 1 }.map { sample.records[$0].record })
        #expect(salvaged.damage == [JournalDamage(offset: sample.records[1].offset, keys: ["b.c"])])
        #expect(salvaged.end == sample.end && salvaged.tail == .clean)
    }

    @Test("Several rotten records are all named, next to each other and apart")
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

    @Test("Keys that are damaged themselves are not guessed")
    func damagedKeys() {
        var sample = JournalSample.several()
        sample.bytes[sample.records[1].offset + 50] ^= 1
        #expect(sample.salvage().damage == [JournalDamage(offset: sample.records[1].offset, keys: nil)])
    }

    @Test("Of a rotten checkpoint it is known that no key was lost; of a whole tree, that any may be")
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

    @Test("Where only the length is damaged, the next record's chain tells that nothing else is lost")
    func damagedLength() {
        var sample = JournalSample.several()
        sample.bytes[sample.records[1].offset] ^= 0x40
        #expect(sample.salvage().damage == [JournalDamage(offset: sample.records[1].offset, keys: ["b.c"])])
    }

    @Test("Where nothing tells how much is lost, the keys that are known are named, and that there may be more")
    func unknownExtent() {
        var sample = JournalSample.several()
        let offset = sample.records[1].offset
        for index in offset..<(offset + 32) { sample.bytes[index] = 0xFF }
        #expect(
            sample.salvage().damage == [
                JournalDamage(offset: offset, keys: ["b.c"]), JournalDamage(offset: offset, keys: nil),
            ])
    }

    @Test("A sector of zeros in the middle is rot too")
    func zeroedRecord() {
        var sample = JournalSample.several()
        for index in sample.range(of: 1) { sample.bytes[index] = 0 }
        let salvaged = sample.salvage()
        #expect(salvaged.records.count == sample.records.count - 1)
        #expect(salvaged.damage.map(\.offset).contains(sample.records[1].offset))
        #expect(salvaged.damage.contains { $0.keys == nil })
    }

    @Test("What was not known to be on stable storage is a torn tail, whatever follows it")
    func unprovenTail() {
        var sample = JournalSample()
        sample.append("a", .integer(1))
        sample.append("torn", .integer(2))
        // Both knew only of the first record.
        for key in ["b", "c"] as [SettingKey] { sample.append(key, .integer(3), durableEnd: sample.records[1].offset) }
        rot(&sample, 1)
        let salvaged = sample.salvage()
        #expect(salvaged.records.count == 1)
        #expect(salvaged.damage.isEmpty && salvaged.tail == .torn)
        #expect(salvaged.end.offset == sample.records[1].offset)
    }

    @Test("A record is no witness of what comes after it")
    func falseWitness() {
        var sample = JournalSample()
        sample.append("a", .integer(1))
        sample.append("torn", .integer(2))
        sample.append("b", .integer(3), durableEnd: 1 << 40)
        rot(&sample, 1)
        #expect(sample.salvage().records.count == 1)
    }

    @Test("Records between a rotten one and the witness count")
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

    /// What the calling thread has computed, however busy others keep the machine.
    private static func secondsOnProcessor() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("Bytes that look like long records everywhere cost no more than their size")
    func cost() {
        let size = 1 << 20
        // What a record begins with, in each eight bytes: half of all bytes for its payload, and its kind.
        let fake: [UInt8] = [0, 0, UInt8((size / 2) >> 16), 0, 1, 0, 0, 0]
        let bytes = JournalSample().bytes + (0..<(size / 8)).flatMap { _ in fake }
        let start = Self.secondsOnProcessor()
        #expect(JournalSample.salvage(bytes).tail == .torn)
        // Unbounded, it would be 2^35 bytes: minutes.
        #expect(Self.secondsOnProcessor() - start < 10)
    }

    @Test("An intact record that nobody understands is left out like a rotten one, and ends the log if it is the last")
    func notUnderstood() {
        var sample = JournalSample()
        sample.append("a", .integer(1))
        var deep = SettingValue.null
        for _ in 0..<200 { deep = .array([deep]) }
        sample.append("deep", deep)
        #expect(sample.salvage().records.count == 1)
        #expect(sample.salvage().end.offset == sample.records[1].offset)
        sample.append("b", .integer(2), durableEnd: sample.end.offset)
        #expect(sample.salvage().records.map(\.offset) == [0, 2].map { sample.records[$0].offset })
        #expect(sample.salvage().damage == [JournalDamage(offset: sample.records[1].offset, keys: ["deep"])])
    }
}

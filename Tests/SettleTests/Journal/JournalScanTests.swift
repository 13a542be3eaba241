import Settle
import Testing

@Suite struct JournalScanTests {
    @Test("Appended records are read in order")
    func order() {
        let sample = JournalSample.several()
        let scan = sample.scan()
        #expect(scan.found == sample.records.map(\.record))
        #expect(scan.records.map(\.offset) == sample.records.map(\.offset))
        #expect(scan.end == sample.end)
        #expect(scan.tail == .clean && scan.needsMore == nil)
    }

    @Test("A scan continues where the one before it ended")
    func continuing() {
        let sample = JournalSample.several()
        let middle = sample.records[3].offset
        let first = JournalSample.scan(Array(sample.bytes[..<middle]))
        let rest = Array(sample.bytes[middle...]).withUnsafeBytes {
            JournalScan.scan($0, at: middle, from: first.end)
        }
        #expect(first.found + rest.found == sample.records.map(\.record))
        #expect(rest.end == sample.end)
    }

    @Test("Zeros after the end are neither a record nor a torn tail")
    func zeros() {
        for count in [1, 7, 8, 31, 32, 4096] {
            var sample = JournalSample.several()
            sample.bytes += [UInt8](repeating: 0, count: count)
            for scan in [sample.scan(), sample.salvage()] {
                #expect(scan.end == sample.end)
                #expect(scan.tail == .clean && scan.needsMore == nil && scan.damage.isEmpty)
            }
        }
    }

    @Test("A scan of a journal without records finds none")
    func noRecords() {
        let sample = JournalSample()
        for scan in [sample.scan(), sample.salvage()] {
            #expect(scan.records.isEmpty && scan.end == sample.end && scan.tail == .clean)
        }
    }

    @Test("A truncated journal yields the records before the cut, and how many bytes the next one needs")
    func truncation() {
        let sample = JournalSample.several()
        for size in JournalHeader.size..<sample.bytes.count {
            let whole = sample.records.indices.filter { sample.range(of: $0).upperBound <= size }
            let cut = Array(sample.bytes[..<size])
            let scan = JournalSample.scan(cut)
            #expect(scan.found == whole.map { sample.records[$0].record })
            let isBetween = scan.end.offset == size
            #expect(scan.tail == (isBetween ? .clean : .torn))
            if isBetween {
                #expect(scan.needsMore == nil)
            } else {
                let end = size < scan.end.offset + 32 ? scan.end.offset + 32 : sample.range(of: whole.count).upperBound
                #expect(scan.needsMore == end - JournalHeader.size)
            }
            let salvaged = JournalSample.salvage(cut)
            #expect(salvaged.found == scan.found)
            #expect(salvaged.needsMore == nil && salvaged.damage.isEmpty)
        }
    }

    @Test("A flipped bit invents no value and loses no record before it")
    func bitFlips() {
        let sample = JournalSample.several()
        for offset in JournalHeader.size..<sample.bytes.count {
            for bit in 0..<8 {
                var bytes = sample.bytes
                bytes[offset] ^= 1 << bit
                let bad = sample.records.indices.first { sample.range(of: $0).contains(offset) } ?? 0
                let scan = JournalSample.scan(bytes)
                #expect(scan.found == sample.records[..<bad].map(\.record))
                #expect(scan.tail == .torn)
                let salvaged = JournalSample.salvage(bytes)
                let isLast = bad == sample.records.count - 1
                #expect(salvaged.found == sample.records.indices.filter { $0 != bad }.map { sample.records[$0].record })
                #expect(salvaged.damage.count == (isLast ? 0 : 1))
                #expect(salvaged.end.offset == (isLast ? sample.range(of: bad).lowerBound : sample.end.offset))
            }
        }
    }

    @Test("A length above the limit is damage, not a record to wait for")
    func absurdLength() {
        var sample = JournalSample.several()
        let last = sample.range(of: sample.records.count - 1).lowerBound
        // The limit of 512 MiB, one byte more, and the maximum.
        for (size, isPlausible) in [(0x2000_0000, true), (0x2000_0001, false), (0xFFFF_FFFF, false)] {
            for index in 0..<4 { sample.bytes[last + index] = UInt8(size >> (8 * index) & 0xFF) }
            let scan = sample.scan()
            #expect((scan.needsMore != nil) == isPlausible)
            #expect(scan.tail == .torn)
            #expect(scan.end.offset == last)
        }
    }

    @Test("Records of another generation are never read")
    func otherGeneration() {
        var old = JournalSample.several()
        for _ in 0..<20 { old.append("old", .integer(9), durableEnd: old.end.offset) }
        // A new journal begins in place, and grows over the old records.
        var bytes =
            JournalHeader(generation: 5, beginning: JournalSample.beginning).encoded + old.bytes[JournalHeader.size...]
        var position = JournalPosition.start(of: 5)
        for count in 0..<8 {
            for scan in [JournalSample.scan(bytes, 5), JournalSample.salvage(bytes, 5)] {
                #expect(scan.records.count == count)
                #expect(scan.end == position)
                #expect(scan.damage.isEmpty && scan.needsMore == nil && scan.tail == .torn)
            }
            let record = JournalRecord(.values(JournalBatch(revision: 1)), durableEnd: position.offset)
            let (new, next) = record.encoded(at: position)
            bytes.replaceSubrange(position.offset..<next.offset, with: new)
            position = next
        }
    }

    @Test("Records after an overwritten torn tail do not continue the log")
    func overwrittenTail() {
        // A crash tore `torn`, but the two records after it had been written.
        var first = JournalSample()
        first.append("a", .integer(1))
        let position = first.end
        first.append("torn", .integer(2))
        first.append("lost", .integer(3))
        first.append("lost too", .integer(4))
        // A record of the same length overwrites the torn one.
        let (new, next) = JournalRecord(
            .values(
                JournalBatch(revision: 9, entries: [JournalEntry(key: "anew", value: .integer(5))])),
            durableEnd: position.offset
        ).encoded(at: position)
        first.bytes.replaceSubrange(position.offset..<next.offset, with: new)
        #expect(next.offset == first.records[2].offset)
        for scan in [first.scan(), first.salvage()] {
            #expect(scan.records.count == 2)
            #expect(scan.found.last?.durableEnd == position.offset)
            #expect(scan.end == next)
            #expect(scan.damage.isEmpty && scan.tail == .torn)
        }
    }

    @Test("A record that is copied to another offset is not valid there")
    func copiedRecord() {
        var sample = JournalSample()
        sample.append("a", .integer(1))
        let copy = sample.bytes[JournalHeader.size...]
        sample.bytes += copy
        #expect(sample.scan().records.count == 1)
        #expect(sample.salvage().records.count == 1)
    }
}

import Foundation
import SettleTesting
import Testing

@testable import Settle

/// Records with right checksums that this version does not understand.
@Suite struct NewerRecordTests {
    /// Changes of a record's first bytes: its length, kind, flags and two zeros.
    private static let changes: [[Int: UInt8]] = [[4: 12], [4: 0], [4: 255], [5: 2], [5: 0x80], [6: 1], [7: 1]]

    private func check(_ scan: JournalScan, endsAt record: Int, of sample: JournalSample) {
        #expect(scan.tail == .newer && scan.damage.isEmpty && scan.needsMore == nil)
        #expect(scan.end.offset == sample.records[record].offset && scan.records.count == record)
        let reading = JournalReading(scan)
        #expect(reading.newerVersion == .newerRecord(offset: scan.end.offset) && reading.isUnusable)
    }

    @Test("A record of an unknown kind or with unknown flags is no torn end, whatever follows it", arguments: changes)
    func unknown(_ change: [Int: UInt8]) {
        var sample = JournalSample.several()
        let index = sample.records.count
        sample.appendNewer(change)
        for _ in 0..<2 {
            check(sample.scan(), endsAt: index, of: sample)
            check(sample.salvage(), endsAt: index, of: sample)
            sample.append("known", .integer(1), durableEnd: sample.end.offset)
        }
    }

    @Test("A record of a known kind with contents that are not known is one of a newer version") func contents() {
        var sample = JournalSample()
        sample.append("a", .integer(1))
        var deep = SettingValue.null
        for _ in 0..<200 { deep = .array([deep]) }
        sample.append("deep", deep)
        check(sample.salvage(), endsAt: 1, of: sample)
        sample.append("b", .integer(2), durableEnd: sample.end.offset)
        check(sample.salvage(), endsAt: 1, of: sample)
    }

    @Test("A damaged or incomplete record of an unknown kind is a torn end") func torn() {
        var sample = JournalSample.several()
        sample.appendNewer([4: 12])
        let whole = sample.bytes
        let start = sample.records[sample.records.count - 1].offset
        for index in start..<whole.count {
            sample.bytes = whole
            sample.bytes[index] ^= 0x10
            #expect(sample.scan().tail == .torn && sample.salvage().tail == .torn, "byte \(index - start)")
            if index == start { continue }
            sample.bytes = Array(whole[..<index])
            #expect(sample.scan().tail == .torn && sample.salvage().tail == .torn, "\(index - start) bytes")
        }
    }

    @Test("Behind a damaged record, one of a newer version counts if it or a later one proves the damage")
    func behindDamage() {
        // The offset up to which the newer record says that the journal was on stable storage: behind the damage, in
        // front of it, and where it can't have been.
        for (number, isProof) in [(0, true), (1, false), (2, false)] {
            var sample = JournalSample()
            sample.append("a", .integer(1))
            sample.append("rotten", .integer(2))
            let bad = sample.records[1].offset
            sample.appendNewer([4: 12], durableEnd: [sample.end.offset, bad, 1 << 40][number])
            sample.bytes[bad + 40] ^= 1
            let salvaged = sample.salvage()
            #expect(salvaged.tail == (isProof ? .newer : .torn) && salvaged.records.count == 1)
            #expect(salvaged.end.offset == sample.records[isProof ? 2 : 1].offset)
        }
        var sample = JournalSample()
        sample.append("a", .integer(1))
        sample.append("rotten", .integer(2))
        sample.append("b", .integer(3))
        sample.appendNewer([4: 12])
        sample.append("c", .integer(4), durableEnd: sample.end.offset)
        sample.bytes[sample.records[1].offset + 40] ^= 1
        #expect(sample.salvage().tail == .newer && sample.salvage().end.offset == sample.records[3].offset)
    }

    @Test("The fast look at a journal's end leaves such a journal to a storage") func end() {
        var sample = JournalSample()
        let version = FileVersion(of: [1])
        sample.append(.base(JournalBase(tree: SettingTree(), mirrors: [JournalBase.Mirror(version)])))
        #expect(sample.bytes.withUnsafeBytes { JournalEnd.version(in: $0) } == version)
        sample.appendNewer([4: 12])
        #expect(sample.bytes.withUnsafeBytes { JournalEnd.version(in: $0) } == nil)
    }

    // MARK: Files

    /// A file with a journal, to which a newer program appends a record.
    private struct Files {
        let fixture: FileStorageFixture
        let storage: FileStorage
        let journal: URL
        private let before: [UInt8]

        init() throws {
            fixture = try FileStorageFixture()
            storage = try fixture.opened()
            try storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
            journal = fixture.folder.appending(path: ".settings.json.journal")
            before = Array(try Data(contentsOf: journal))
        }

        /// - Returns: The bytes of the journal, and the offset of the record.
        func appendNewer(_ change: [Int: UInt8]) throws -> (bytes: Data, offset: Int) {
            let header = try before.withUnsafeBytes { try JournalHeader.decode($0) }
            let end = before[Int(header.base)...].withUnsafeBytes { JournalScan.salvage(fromBase: $0, header).end }
            let record = JournalSample.newer(change, at: end, durableEnd: 0).bytes
            var bytes = before
            bytes.replaceSubrange(end.offset..<min(bytes.count, end.offset + record.count), with: record)
            // In place, as another process appends.
            let file = try FileHandle(forWritingTo: journal)
            try file.write(contentsOf: bytes)
            try file.close()
            return (Data(bytes), end.offset)
        }
    }

    @Test("A journal with such a record is not opened, is named with the position, and stays as it is")
    func opened() throws {
        for change in [[4: 12], [5: 2]] as [[Int: UInt8]] {
            let files = try Files()
            files.storage.close()
            let (bytes, offset) = try files.appendNewer(change)
            let storage = files.fixture.storage()
            let error = #expect(throws: StorageError.self) { try storage.load() }
            #expect(error?.code == .unreadable)
            let sentence = error?.description ?? ""
            #expect(sentence.contains(".settings.json.journal” can't be read. Its record at byte \(offset) is intact"))
            #expect(sentence.contains("use the newer program"))
            #expect(throws: StorageError.self) { try storage.append(batch(2, ["a": .integer(9)]), durability: .synced) }
            #expect(try Data(contentsOf: files.journal) == bytes)
        }
    }

    @Test("A process that has the file open reports it, saves nothing, and cuts nothing off") func running() throws {
        let files = try Files()
        let (bytes, offset) = try files.appendNewer([4: 12])
        for _ in 0..<2 {
            let found = #expect(throws: StorageError.self) {
                try files.storage.changes(after: StoragePosition(0))
            }
            #expect(found?.code == .unreadable && found?.description.contains("byte \(offset)") == true)
            #expect(throws: StorageError.self) {
                try files.storage.append(batch(2, ["a": .integer(9)]), durability: .synced)
            }
            #expect(throws: StorageError.self) {
                try files.storage.checkpoint(SettingTree(["a": .integer(9)]), for: .requested)
            }
            #expect(throws: StorageError.self) { try files.storage.hasTraces(of: "b") }
            #expect(try Data(contentsOf: files.journal) == bytes)
        }
    }

    @Test("A history with such a record in front of the base is not read, and no journal without it takes its place")
    func past() throws {
        let fixture = try FileStorageFixture()
        var sample = JournalSample()
        let past = JournalTransactions(position: 1, count: 1, time: 1, list: nil)
        sample.append(.past(past))
        sample.appendNewer([4: 12])
        let base = sample.end.offset
        sample.append(.base(JournalBase(tree: SettingTree(), mirrors: [JournalBase.Mirror(.absent)])), durableEnd: base)
        let header = JournalHeader(
            generation: JournalSample.generation, beginning: ChangeToken(history: 7, position: 1, checksum: 1),
            base: UInt64(base))
        let bytes = header.encoded + sample.bytes[JournalHeader.size...]
        let path = fixture.folder.appending(path: ".settings.json.journal")
        try Data(bytes).write(to: path)
        var journal = JournalFile(FileOperations(fixture.calls), path: FilePath(path))
        #expect(try journal.open())
        #expect(try !journal.scan(limit: 1 << 20).isUnusable && journal.hasPast)
        let error = #expect(throws: FileError.self) { try journal.pastIndex(knowing: nil) }
        #expect(error?.description.contains("byte \(sample.records[1].offset)") == true)
        journal.close()
    }
}

extension JournalSample {
    /// Appends a record as ``newer(_:at:durableEnd:)`` returns it.
    fileprivate mutating func appendNewer(_ change: [Int: UInt8], durableEnd: Int = JournalHeader.size) {
        let (new, next, record) = Self.newer(change, at: end, durableEnd: durableEnd)
        records.append((end.offset, record))
        bytes += new
        end = next
    }

    /// Returns a record with other bytes at some offsets and the checksum of these.
    fileprivate static func newer(
        _ change: [Int: UInt8], at position: JournalPosition, durableEnd: Int
    ) -> (bytes: [UInt8], next: JournalPosition, record: JournalRecord) {
        let batch = JournalBatch(revision: 9, entries: [JournalEntry(key: "newer", value: .integer(9))])
        let record = JournalRecord(.values(batch), durableEnd: durableEnd)
        var (bytes, next) = record.encoded(at: position)
        for (offset, byte) in change { bytes[offset] = byte }
        let checksum = bytes.withUnsafeBytes {
            JournalRecordHeader.checksum(of: $0, generation: position.generation, offset: position.offset)
        }
        bytes.withUnsafeMutableBytes { $0.store(checksum, at: JournalRecordHeader.checksumOffset) }
        next.chain = checksum
        return (bytes, next, record)
    }
}

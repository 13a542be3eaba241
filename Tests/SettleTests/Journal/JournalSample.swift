import FoundationEssentials
import Settle

/// A journal that tests build record by record.
struct JournalSample {
    static let generation: UInt64 = 0x1234_5678_9ABC_DEF1
    static let beginning = ChangeToken(history: 7, position: 0, checksum: 1)

    var bytes = JournalHeader(generation: generation, beginning: beginning).encoded
    var records: [(offset: Int, record: JournalRecord)] = []
    var end = JournalPosition.start(of: generation)

    mutating func append(_ content: JournalRecord.Content, durableEnd: Int = JournalHeader.size) {
        let record = JournalRecord(content, durableEnd: durableEnd)
        records.append((end.offset, record))
        let (new, next) = record.encoded(at: end)
        bytes += new
        end = next
    }

    /// Appends a batch that sets one key.
    mutating func append(_ key: SettingKey, _ value: SettingValue?, durableEnd: Int = JournalHeader.size) {
        append(
            .values(
                JournalBatch(
                    revision: UInt64(records.count + 1), entries: [JournalEntry(key: key, value: value)])),
            durableEnd: durableEnd)
    }

    /// Several kinds of records, each of which proves the one before durable.
    static func several() -> JournalSample {
        var sample = JournalSample()
        sample.append("a", .integer(1))
        sample.append("b.c", .string("ü"), durableEnd: sample.end.offset)
        sample.append(.mirroring(FileVersion(of: [1])), durableEnd: sample.end.offset)
        sample.append(.mirrored(FileVersion(of: [1])), durableEnd: sample.end.offset)
        sample.append("a", nil, durableEnd: sample.end.offset)
        sample.append(
            .base(
                JournalBase(
                    tree: SettingTree(["z": .array([.real(0.5)])]), mirrors: [JournalBase.Mirror(FileVersion(of: [2]))])
            ),
            durableEnd: sample.end.offset)
        sample.append("d", .data(Data([0, 255])), durableEnd: sample.end.offset)
        return sample
    }

    /// The file offsets at which record `index` begins and ends.
    func range(of index: Int) -> Range<Int> {
        records[index].offset..<(index + 1 < records.count ? records[index + 1].offset : end.offset)
    }

    func scan() -> JournalScan { Self.scan(bytes) }
    func salvage() -> JournalScan { Self.salvage(bytes) }

    static func scan(_ bytes: [UInt8], _ generation: UInt64 = generation) -> JournalScan {
        bytes.withUnsafeBytes {
            JournalScan.scan(
                UnsafeRawBufferPointer(rebasing: $0[JournalHeader.size...]), at: JournalHeader.size,
                from: .start(of: generation))
        }
    }

    static func salvage(_ bytes: [UInt8], _ generation: UInt64 = generation) -> JournalScan {
        bytes.withUnsafeBytes {
            JournalScan.salvage(
                UnsafeRawBufferPointer(rebasing: $0[JournalHeader.size...]), at: JournalHeader.size,
                from: .start(of: generation))
        }
    }
}

extension JournalScan {
    var found: [JournalRecord] { records.map(\.record) }
}

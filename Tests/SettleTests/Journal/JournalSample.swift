import FoundationEssentials
import Settle

/// A journal that tests build record by record.
struct JournalSample {
    static let generation: UInt64 = 0x1234_5678_9ABC_DEF1
    static let beginning = ChangeToken(history: 7, position: 0, checksum: 1)

    var bytes = JournalHeader(generation: generation, beginning: beginning).encoded
    var records: [(offset: Int, record: JournalRecord)] = []
    var end = JournalPosition.start(of: generation)

    mutating func append(_ content: JournalRecord.Content, durableEnd: Int = 64) {
        let record = JournalRecord(content, durableEnd: durableEnd)
        records.append((end.offset, record))
        let (new, next) = record.encoded(at: end)
        bytes += new
        end = next
    }

    /// Appends a batch that sets one key; `before` is what it was.
    mutating func append(
        _ key: SettingKey, _ value: SettingValue?, before: JournalEntry.Before = .absent, durableEnd: Int = 64
    ) {
        append(
            .values(
                JournalBatch(
                    revision: UInt64(records.count + 1),
                    entries: [JournalEntry(key: key, value: value, before: before)])), durableEnd: durableEnd)
    }

    /// Several kinds of records, each of which proves the one before durable.
    static func several() -> JournalSample {
        var sample = JournalSample()
        sample.append("a", .integer(1))
        sample.append("b.c", .string("ü"), durableEnd: sample.end.offset)
        sample.append(.checkpoint(FileVersion(of: [1]), coveredEnd: sample.end.offset), durableEnd: sample.end.offset)
        sample.append(.checkpointed(FileVersion(of: [1]), coveredEnd: sample.end.offset), durableEnd: sample.end.offset)
        sample.append("a", nil, before: .value(.integer(1)), durableEnd: sample.end.offset)
        sample.append(
            .edited(FileVersion(of: [2]), JournalBatch(revision: 0, tree: SettingTree(["z": .array([.real(0.5)])]))),
            durableEnd: sample.end.offset)
        sample.append("d", .data(Data([0, 255])), before: .unknown, durableEnd: sample.end.offset)
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
                UnsafeRawBufferPointer(rebasing: $0[64...]), at: 64, from: .start(of: generation))
        }
    }

    static func salvage(_ bytes: [UInt8], _ generation: UInt64 = generation) -> JournalScan {
        bytes.withUnsafeBytes {
            JournalScan.salvage(
                UnsafeRawBufferPointer(rebasing: $0[64...]), at: 64, from: .start(of: generation))
        }
    }
}

extension JournalScan {
    var found: [JournalRecord] { records.map(\.record) }
}

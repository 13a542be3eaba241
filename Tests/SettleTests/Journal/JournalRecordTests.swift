import FoundationEssentials
import Settle
import SettleTesting
import Testing

@Suite struct JournalRecordTests {
    private func read(_ bytes: [UInt8], at position: JournalPosition) -> JournalScan {
        bytes.withUnsafeBytes { JournalScan.scan($0, at: position.offset, from: position) }
    }

    @Test("Random records read back as they were written, down to the bits")
    func roundTrips() {
        var random = SeededGenerator()
        for _ in 0..<2000 {
            let record = random.record()
            let position = JournalPosition(
                generation: random.next() | 1, offset: Int(random.next() >> 40) * 8, chain: random.next(),
                chainOffset: 0)
            let (bytes, next) = record.encoded(at: position)
            let chain = bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: next.chainOffset - position.offset, as: UInt64.self)
            }
            #expect(UInt64(littleEndian: chain) == next.chain, "seed \(random.seed)")
            #expect(bytes.count % 8 == 0 && next.offset == position.offset + bytes.count, "seed \(random.seed)")
            let scan = read(bytes, at: position)
            #expect(scan.records.map(\.offset) == [position.offset] && scan.end == next, "seed \(random.seed)")
            #expect(scan.found.map(\.spelling) == [record.spelling], "seed \(random.seed)")
        }
    }

    @Test("Every kind of value reads back as it was written, down to the bits")
    func values() throws {
        let reals: [Double] = [
            0, -0.0, .nan, .signalingNaN, Double(bitPattern: 0x7FF8_0000_0000_1234), .infinity, -.infinity,
            .leastNonzeroMagnitude,
        ]
        for real in reals {
            #expect(try written(.real(real)).bits == real.bitPattern)
            #expect(try written(.date(Date(timeIntervalSinceReferenceDate: real))).bits == real.bitPattern)
        }
        for integer in [0, 1, -1, 63, 64, -64, -65, .max, .min] as [Int64] {
            #expect(try written(.integer(integer)) == .integer(integer))
        }
        let others: [SettingValue] = [
            .null, .bool(true), .bool(false), .number("1e999"), .string(""), .string("a\0ü😀"), .data(Data()),
            .data(Data(0...255)), .array([]), .dictionary([:]),
            .dictionary(["": .array([.null, .dictionary(["a.b": .string("c")])]), "x": .bool(false)]),
            .string(String(repeating: "x", count: 70_000)),
        ]
        for value in others { #expect(try written(value) == value) }
    }

    private func written(_ value: SettingValue) throws -> SettingValue {
        var writer = JournalValueWriter()
        writer.write(value)
        return try writer.bytes.withUnsafeBytes { bytes in
            var reader = JournalValueReader(bytes)
            let value = try reader.readValue()
            #expect(reader.isAtEnd)
            return value
        }
    }

    private func read(_ bytes: [UInt8]) throws -> SettingValue {
        try bytes.withUnsafeBytes { bytes in
            var reader = JournalValueReader(bytes)
            return try reader.readValue()
        }
    }

    @Test("Malformed values are refused")
    func malformed() {
        let cases: [[UInt8]] = [
            [], [0], [255], [12], [4], [4, 0x80], [5, 0, 0, 0, 0, 0, 0, 0], [7, 1], [7, 1, 0xFF], [7, 2, 0xC3],
            [8, 0], [9, 2, 0], [10, 1], [10, 2, 1], [11, 1], [11, 1, 1, 0x61], [11, 2, 1, 0x61, 1, 1, 0x61, 1],
            [4] + [UInt8](repeating: 0xFF, count: 9) + [2], [4] + [UInt8](repeating: 0x80, count: 10) + [0],
            [9] + [UInt8](repeating: 0xFF, count: 9) + [1], [10] + [UInt8](repeating: 0xFF, count: 9) + [1],
        ]
        for bytes in cases {
            #expect(throws: JournalError.damaged, "\(bytes)") { try read(bytes) }
        }
    }

    @Test("Values in a journal have a nesting limit")
    func depth() throws {
        var value = SettingValue.array([])
        for _ in 1..<128 { value = .array([value]) }
        #expect(try written(value) == value)
        let entry = JournalEntry(key: "a", value: value)
        #expect(JournalBatch(revision: 1, entries: [entry]).tooDeeplyNestedKey == nil)
        let deeper = SettingValue.dictionary(["b": value])
        #expect(throws: JournalError.damaged) { try written(deeper) }
        #expect(
            JournalBatch(revision: 1, entries: [JournalEntry(key: "a", value: deeper)]).tooDeeplyNestedKey == "a")
    }

    @Test("The encoded bytes never change")
    func bytes() {
        let batch = JournalBatch(
            revision: 300, author: "w", entries: [JournalEntry(key: "ab", value: .integer(-1))])
        let bytes = JournalRecord(.edited(JournalBase.Mirror(FileVersion(hash: 1, size: 2)), batch), durableEnd: 64)
            .encoded(at: .start(of: 7)).bytes
        #expect(Array(bytes[..<24]) == [43, 0, 0, 0, 3, 0, 0, 0, 7] + zeros(7) + [64] + zeros(7))
        #expect(Array(bytes[32..<40]) == [3, 0, 0, 0, 1, 0, 0, 0])
        #expect(
            Array(bytes[48...]) == [2, 0x61, 0x62, 1] + zeros(7) + [2] + zeros(8) + [0xAC, 2, 1, 1, 0x77, 4, 1]
                + zeros(5))
    }

    private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

extension SettingValue {
    fileprivate var bits: UInt64? {
        switch self {
        case .real(let real): real.bitPattern
        case .date(let date): date.timeIntervalSinceReferenceDate.bitPattern
        default: nil
        }
    }
}

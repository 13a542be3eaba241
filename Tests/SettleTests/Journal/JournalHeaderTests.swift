import Testing

@testable import Settle

@Suite struct JournalHeaderTests {
    private let header = JournalHeader(
        generation: 3, previousGeneration: 2, previousEnd: 640,
        beginning: ChangeToken(history: 7, position: 1 << 40, checksum: .max))

    private func decode(_ bytes: [UInt8]) throws -> JournalHeader {
        try bytes.withUnsafeBytes { try JournalHeader.decode($0) }
    }

    @Test("A header reads back as it was written")
    func roundTrip() throws {
        #expect(header.encoded.count == JournalHeader.size)
        #expect(try decode(header.encoded) == header)
        #expect(try decode(header.encoded + [1, 2, 3]) == header)
        let first = JournalHeader(generation: .max, beginning: JournalSample.beginning)
        #expect(try decode(first.encoded) == first)
        #expect(first.oldest == first.beginning && first.base == 136 && first.lineage == JournalLineage())
    }

    /// One of a journal with a past and a lineage.
    private var later: JournalHeader {
        var later = header
        later.oldest = ChangeToken(history: 7, position: 1 << 32, checksum: 1 << 56)
        later.lineage = JournalLineage(
            resets: 0x0101_0102, restarts: 0x0201_0101,
            start: JournalLineage.Start(generation: 9, position: 1 << 40, checksum: 1 << 48),
            origin: FileVersion(hash: 5, size: 1 << 48))
        (later.base, later.previousEnd) = (1 << 24, .max)
        return later
    }

    @Test("Where the past begins, where it ends, and the lineage read back as they were written")
    func laterRoundTrip() throws {
        #expect(try decode(later.encoded) == later)
        let bytes = later.encoded
        #expect(Array(bytes[64..<72]) == [0, 0, 0, 1, 0, 0, 0, 0])
        #expect(Array(bytes[72..<88]) == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(Array(bytes[88..<104]) == [2, 1, 1, 1, 1, 1, 1, 2, 9, 0, 0, 0, 0, 0, 0, 0])
        #expect(Array(bytes[104..<120]) == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
        #expect(Array(bytes[120...]) == [5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
        #expect(!later.isStart)
        var other = later
        other.lineage = JournalLineage(
            resets: .max - 1, restarts: 0, start: JournalLineage.Start(generation: other.generation))
        #expect(try decode(other.encoded) == other && other.isStart)
    }

    @Test("A header is damaged whose base can't be where it says")
    func wrongBase() throws {
        for base in [0, 8, 120, 128, 137, 140, JournalHeader.baseLimit + 8, UInt64(Int.max) & ~7, .max & ~7, .max] {
            var wrong = later
            wrong.base = base
            #expect(throws: JournalError.damaged, "\(base)") { try decode(wrong.encoded) }
        }
        for (resets, restarts) in [(UInt32.max, UInt32(0)), (0, .max)] {
            var wrong = later
            (wrong.lineage.resets, wrong.lineage.restarts) = (resets, restarts)
            #expect(throws: JournalError.damaged) { try decode(wrong.encoded) }
        }
        for base in [136, 144, JournalHeader.baseLimit] {
            var right = later
            right.base = base
            #expect(try decode(right.encoded).base == base)
        }
    }

    @Test("A header is damaged whose positions are so large that a sum with one could overflow")
    func hugePositions() throws {
        func headers(_ position: UInt64) -> [JournalHeader] {
            let token = ChangeToken(history: 7, position: position, checksum: 1)
            var (beginning, oldest, start) = (later, later, later)
            (beginning.beginning, oldest.oldest) = (token, token)
            start.lineage.start = JournalLineage.Start(generation: 9, position: position, checksum: 1)
            return [beginning, oldest, start]
        }
        for header in headers(.max) + headers(1 << 62) {
            #expect(throws: JournalError.damaged) { try decode(header.encoded) }
        }
        for header in headers((1 << 62) - 1) { #expect(try decode(header.encoded) == header) }
    }

    @Test("The encoded bytes never change")
    func bytes() {
        #expect(Array(header.encoded[..<12]) == Array("Settle".utf8) + [0xF5, 0x0A, 3, 0, 0, 0])
        #expect(header.encoded[16] == 3 && header.encoded[24] == 2 && header.encoded[32] == 128)
        #expect(header.encoded[40] == 7 && header.encoded[53] == 1 && header.encoded[56..<64].allSatisfy { $0 == 255 })
    }

    @Test("Too few bytes, or zeros, mean that the journal was not begun")
    func empty() {
        for size in 0..<JournalHeader.size {
            #expect(throws: JournalError.empty) { try decode(Array(header.encoded[..<size])) }
        }
        #expect(throws: JournalError.empty) { try decode([UInt8](repeating: 0, count: 4096)) }
    }

    @Test("Any flipped bit damages the header")
    func bitFlips() {
        for offset in 0..<JournalHeader.size {
            for bit in 0..<8 {
                var bytes = header.encoded
                bytes[offset] ^= 1 << bit
                #expect(throws: JournalError.damaged) { try decode(bytes) }
            }
        }
    }

    /// The header as another version would encode it.
    private func bytes(ofVersion version: UInt8) -> [UInt8] {
        var bytes = header.encoded
        bytes[8] = version
        var hash = ContentHash()
        hash.combine(bytes[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }, UInt64(version))
        bytes[16...].withUnsafeBytes { hash.combine($0) }
        for index in 0..<4 { bytes[12 + index] = UInt8(truncatingIfNeeded: hash.value >> (8 * UInt64(index))) }
        return bytes
    }

    @Test("A newer version is distinguished from damage, and refused")
    func newerVersion() {
        #expect(bytes(ofVersion: 3) == header.encoded)
        #expect(throws: JournalError.newerVersion(4)) { try decode(bytes(ofVersion: 4)) }
        #expect(throws: JournalError.newerVersion(200)) { try decode(bytes(ofVersion: 200)) }
        for version: UInt8 in 0...2 {
            #expect(throws: JournalError.damaged) { try decode(bytes(ofVersion: version)) }
        }
        #expect("\(JournalError.newerVersion(4))".contains("has version 4, but this program knows none later than 3"))
    }

    @Test("A header without a generation or a history is damaged")
    func noGeneration() {
        var (first, second) = (header, header)
        (first.generation, second.beginning.history) = (0, 0)
        #expect(throws: JournalError.damaged) { try decode(first.encoded) }
        #expect(throws: JournalError.damaged) { try decode(second.encoded) }
    }
}

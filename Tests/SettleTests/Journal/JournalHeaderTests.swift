import Settle
import Testing

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
    }

    @Test("The encoded bytes never change")
    func bytes() {
        #expect(Array(header.encoded[..<12]) == Array("Settle".utf8) + [0xF5, 0x0A, 2, 0, 0, 0])
        #expect(header.encoded[16] == 3 && header.encoded[24] == 2 && header.encoded[32] == 128)
        #expect(header.encoded[40] == 7 && header.encoded[53] == 1 && header.encoded[56...].allSatisfy { $0 == 255 })
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
        #expect(bytes(ofVersion: 2) == header.encoded)
        #expect(throws: JournalError.newerVersion(3)) { try decode(bytes(ofVersion: 3)) }
        #expect(throws: JournalError.newerVersion(200)) { try decode(bytes(ofVersion: 200)) }
        for version: UInt8 in 0...1 {
            #expect(throws: JournalError.damaged) { try decode(bytes(ofVersion: version)) }
        }
        #expect("\(JournalError.newerVersion(3))".contains("has version 3, but this program knows none later than 2"))
    }

    @Test("A header without a generation or a history is damaged")
    func noGeneration() {
        var (first, second) = (header, header)
        (first.generation, second.beginning.history) = (0, 0)
        #expect(throws: JournalError.damaged) { try decode(first.encoded) }
        #expect(throws: JournalError.damaged) { try decode(second.encoded) }
    }
}

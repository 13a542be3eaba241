import FoundationEssentials
import Settle
import SettleTesting
import Testing

@Suite struct FileFormatTests {
    static let formats: [FileFormat] = [.json, .propertyListXML, .propertyListBinary]

    @Test("The format of a file is detected from its contents", arguments: formats)
    func detection(format: FileFormat) throws {
        #expect(FileFormat.detect(try format.encode(SettingTree(["a": .integer(1)]))) == format)
        #expect(FileFormat.detect(try format.encode(SettingTree())) == format)
    }

    @Test("Detection skips a byte order mark and white space, and finds no format in an empty file")
    func detectionOfOddFiles() {
        #expect(FileFormat.detect([]) == nil)
        #expect(FileFormat.detect([0xEF, 0xBB, 0xBF] + Array("\n<plist>".utf8)) == .propertyListXML)
        #expect(FileFormat.detect(Array(" \n{".utf8)) == .json)
        #expect(FileFormat.detect(Array("bplist".utf8)) == .json)
    }

    @Test("An empty file is an error in every format", arguments: formats)
    func emptyFiles(format: FileFormat) {
        #expect(throws: FormatError.self) { try format.decode([]) }
        #expect(throws: FormatError.self) { try format.decode([0x20, 0x0A]) }
    }

    /// Files such as have crashed a widely used reader, or kept it busy for minutes.
    @Test("A damaged binary property list is refused, unless only contents or unused bytes are damaged")
    func notoriousFiles() throws {
        let good = try FileFormat.propertyListBinary.encode(
            SettingTree(["list": .array([.integer(1), .string("two")]), "name": .string("é")]))
        // The number, the letter, and the bytes of the trailer that mean nothing. All others belong to the structure,
        // or to ASCII strings.
        let number = try #require(good.firstRange(of: [0x10, 1])).upperBound - 1
        let letter = try #require(good.firstRange(of: [0x61, 0, 0xE9])).upperBound - 2
        let trailer = good.count - 32
        let harmless = Set([number, letter, letter + 1] + Array(trailer..<trailer + 6))
        var legal = 0
        // Pairs of changed bytes throughout the structure: markers, references, offsets and the trailer.
        for first in 8..<good.count {
            for second in stride(from: first + 1, to: good.count, by: 3) {
                var bad = good
                bad[first] = 0xFF
                bad[second] = first.isMultiple(of: 2) ? 0x00 : 0xAF
                guard bad.indices.allSatisfy({ bad[$0] == good[$0] || harmless.contains($0) }) else {
                    #expect(throws: FormatError.self, "Bytes \(first) and \(second)") {
                        try FileFormat.propertyListBinary.decode(bad)
                    }
                    continue
                }
                legal += 1
                let name = String(decoding: [UInt16(bad[letter]) << 8 | UInt16(bad[letter + 1])], as: UTF16.self)
                let tree = SettingTree([
                    "list": .array([.integer(Int64(bad[number])), .string("two")]), "name": .string(name),
                ])
                #expect(try FileFormat.propertyListBinary.decode(bad) == tree, "Bytes \(first) and \(second)")
            }
        }
        #expect(legal > 10)
    }

    @Test(
        "A damaged file is refused, or read as values that can be written and read again", arguments: formats)
    func mutations(format: FileFormat) throws {
        var random = SeededGenerator(seed: 20_011)
        let files = try seeds(format)
        for round in 0..<5_000 {
            var bytes = files[round % files.count]
            for _ in 0...Int(random.next() % 3) { mutate(&bytes, &random) }
            guard let tree = try? format.decode(bytes) else { continue }
            let written = try format.encode(tree)
            let rewritten = try format.encode(try format.decode(written))
            guard written == rewritten else {
                Issue.record("Round \(round) of seed \(random.seed) changes from one writing to the next.")
                return
            }
        }
    }

    private func seeds(_ format: FileFormat) throws -> [[UInt8]] {
        var trees = [
            SettingTree(["a": .integer(-1), "b": .array([.real(0.5), .bool(true)]), "c": .string("é<\n")]),
            SettingTree([
                "d": .dictionary(["e": .data(Data([1, 2, 3])), "f": .dictionary([:])]), "long key": .integer(.max),
            ]),
        ]
        trees.append(
            SettingTree(["g": .date(Date(timeIntervalSinceReferenceDate: 1)), "h": .number("18446744073709551615")]))
        return try trees.map { tree in
            let file = try format.encode(tree)
            // Most of a small XML file is its prolog, which has its own tests.
            guard format == .propertyListXML, let start = file.firstRange(of: Array("<plist".utf8)) else { return file }
            return Array(file[start.lowerBound...])
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch random.next() % 5 {
        case 0: bytes[position] ^= 1 << UInt8(random.next() % 8)
        case 1: bytes[position] = UInt8(truncatingIfNeeded: random.next())
        case 2: bytes.remove(at: position)
        case 3: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: position)
        default:
            bytes[position] = [0x00, 0x22, 0x3C, 0x3E, 0x5B, 0x7B, 0x80, 0xA1, 0xD1, 0xFF][Int(random.next() % 10)]
        }
    }
}

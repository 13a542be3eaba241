import FoundationEssentials
import Settle
import SettleInterchange
import SettleTesting
import Testing

/// Damaged documents end in an error or in a value, and what is read can be written.
@Suite(.timeLimit(.minutes(10))) struct InterchangeMutantTests {
    private static let texts = [
        "{\"a\": [1, -2.5e3, true, null], \"é\": \"\\u00e9\\n\"}",
        "<?xml version=\"1.0\"?><plist><dict><key>a</key><array><integer>1</integer><real>.5</real><true/>"
            + "<date>2001-01-01T00:00:00Z</date><data>AQ==</data></array></dict></plist>",
        "{a = (1, \"b c\", <00 ff>); \"\\U00e9\" = {b; 'c' = d;};}",
        "{a = <*I5>; b = <*R1.5>; c = <*BY>; d = <*D2001-01-01 00:00:00 +0000>; e = <[AQID]>;}",
        "/* c */ \"a\" = \"b\"; // d\n// e\n\"é\"; \"a\" = \"\\101\\n\";",
        "{k = {NSStringLocalizedFormatKey = \"%#@v@\"; v = {NSStringFormatSpecTypeKey = NSStringPluralRuleType; other = \"%#@w@\";};};}",
    ]

    private static let tokens =
        [
            "{", "}", "(", ")", "<", ">", "\"", "'", "\\", "\\U", "\\Ud83d", ";", "=", "/*", "*/", "//", "\n", "<*I",
            "<*D",
            "<[", "</dict>", "<dict>", "<array>", "<!--", "<![CDATA[", "&#0;", "%#@", "\u{2028}", "-", "1e9",
            "99999999999999999999",
            "CF$UID", "$null",
        ].map { Array($0.utf8) } + [[0xFF], [0], [0xFE, 0xFF], [0xFF, 0xFE], [0xEF, 0xBB, 0xBF]]

    private static func documents() throws -> [[UInt8]] {
        let value = SettingValue.dictionary([
            "a": .array([.integer(-1), .real(0.5), .bool(true), .date(Date(timeIntervalSinceReferenceDate: 0.5))]),
            "é": .dictionary(["CF$UID": .integer(3)]), "d": .data(Data([1, 2])), "u": .number("18446744073709551615"),
        ])
        let utf16 = texts[4].utf16Bytes(isBigEndian: true)
        let binary = Array(try PropertyList(value).data(as: .binary))
        return texts.map { Array($0.utf8) } + [utf16, binary, binary]
    }

    private static func mutant(of document: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = document
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0...4, using: &random) {
            case 0 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &random)
            case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...9, using: &random)))
            case 3:
                let other = Int.random(in: 0...bytes.count, using: &random)
                bytes.insert(contentsOf: bytes[min(place, other)..<min(bytes.count, min(place, other) + 9)], at: place)
            default: bytes.insert(contentsOf: tokens[Int.random(in: tokens.indices, using: &random)], at: place)
            }
        }
        return bytes
    }

    @Test("Damaged documents end in an error or in a value that can be written")
    func mutants() throws {
        var random = SeededGenerator()
        let documents = try Self.documents()
        var read = 0
        for round in 0..<24_000 {
            let data = Data(Self.mutant(of: documents[round % documents.count], &random))
            if let (table, _, _) = try? StringTable.read(data) {
                #expect(try StringTable.read(table.data()).table == table, "seed \(random.seed), round \(round)")
            }
            guard let (value, format) = try? DocumentConversion.read(data) else { continue }
            read += 1
            let targets = DocumentConversion.Format.allCases
            let target = targets[Int.random(in: targets.indices, using: &random)]
            let conversion = try DocumentConversion(of: value, to: target)
            let again = try DocumentConversion.read(conversion.data, as: target).value
            let places = Set(conversion.losses.map(\.path))
            #expect(again.differences(from: value) == places, "seed \(random.seed), round \(round)")
            if case .propertyList = format, let (table, _) = try? PluralTable.read(data) { _ = table.findings }
        }
        #expect(read > 2_000)
    }

    @Test("A document that is cut off anywhere ends in an error or in a value")
    func truncations() throws {
        for document in try Self.documents() {
            for end in document.indices {
                let data = Data(document[..<end])
                _ = try? DocumentConversion.read(data)
                _ = try? StringTable.read(data)
                _ = try? PluralTable.read(data)
            }
        }
    }

    @Test("What a long document becomes is in proportion to it")
    func growth() throws {
        let count = 30_000
        for (opening, part, closing) in [
            ("", "a=b;", ""), ("", "a;", ""), ("", "//\n", ""), ("", "/**/", "a;"), ("", "/**/\n//\n", "a"),
            ("{", "a;", ""),
            ("(", "<*I5>,", ")"), ("(", "<[AQ==]>,", ")"), ("(", "<*I", ")"), ("<[", "AQID", ""),
            ("", "\"é\"=\"\\Ud83d\\Ude00\";", ""),
            ("{\"k\"={NSStringLocalizedFormatKey=\"", "%#@v%1$#@%%", "\";};}"), ("", "\u{FEFF}", ""),
            ("\"a\"=\"b\";", "<", ""),
        ] {
            let data = Data((opening + String(repeating: part, count: count) + closing).utf8)
            let limit = 8 * data.count
            // Work that grows with the square of the length takes longer than the suite may take.
            if let (table, _, duplicates) = try? StringTable.read(data) {
                #expect(try table.data().count <= limit && duplicates.count < count, "\(part)")
            }
            if let (table, _) = try? PluralTable.read(data) { #expect(table.findings.count <= 4 * count, "\(part)") }
            if let (value, _) = try? DocumentConversion.read(data) {
                let conversion = try DocumentConversion(of: value, to: .json)
                #expect(conversion.data.count <= limit && conversion.losses.count <= count, "\(part)")
            }
        }
    }
}

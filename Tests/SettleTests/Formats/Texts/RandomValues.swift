import Foundation
import Settle
import SettleTesting

/// Keys and values for random files, with the spellings that are lost most easily.
enum RandomValues {
    static let names = [
        "a", "b", "c", "d", "e", "f", "g", "B", "Z", "aa", "a.b", "a\\", "größe", "é", "e\u{301}", "😀", "", "x\"y",
        "<&>",
        "//", "/*", "long key", "zoom",
    ]

    private static let texts = [
        "", "x", "two words", "é", "e\u{301}", "// x", "/* x */", "{\"a\": 1,}", "<b>&amp;", "😀",
    ]

    // MARK: JSON

    static func quoted(_ text: String, _ random: inout SeededGenerator) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "/" where random.oneOf(3): quoted += "\\/"
            default:
                if scalar.value < 0x10000, random.oneOf(12) {
                    let digits = String(scalar.value, radix: 16, uppercase: random.oneOf(2))
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    quoted += String(scalar)
                }
            }
        }
        return quoted + "\""
    }

    static func json(_ random: inout SeededGenerator, hasComments: Bool) -> String {
        let spellings = [
            "0", "1", "-7", "12", "1.0", "1.50", "1e3", "1E+2", "-0", "-0.0", "0.10", "5e-1", "1e400",
            "100000000000000000000000", "9223372036854775807", "true", "false", "null", "{}", "{ }", "[]", "[ ]",
            "[1, 2 ,3]", "[ { \"a\": 1.0 }, [] ]", "[\n 1,\n 2\n]", "\"2001-01-01T00:00:00Z\"",
        ]
        let commented = ["[ 1, /* one */ 2 ]", "[ 1, ]", "[ // one\n 1 ]", "{ /* nothing */ }"]
        if hasComments, random.oneOf(10) { return commented.randomElement(using: &random) ?? "[]" }
        if random.oneOf(3) { return quoted(texts.randomElement(using: &random) ?? "", &random) }
        return spellings.randomElement(using: &random) ?? "0"
    }

    // MARK: XML

    static func escapedXML(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    static func xml(_ random: inout SeededGenerator) -> String {
        let spellings = [
            "<integer>0</integer>", "<integer> +7 </integer>", "<integer>0x1F</integer>", "<integer>-12</integer>",
            "<real>1</real>", "<real>1.50</real>", "<real>1e3</real>", "<real>-0.0</real>", "<real>nan</real>",
            "<true/>",
            "<true></true>", "<false />", "<array/>", "<array></array>", "<array><true/> <!-- x --> </array>",
            "<dict/>", "<dict />", "<data> AQ ID </data>", "<data/>", "<date>2001-01-01T00:00:00Z</date>",
            "<string/>", "<string><![CDATA[<key>x</key>]]></string>", "<string>&#65;&quot;</string>",
            "<string>x<!-- y -->z</string>", "<string>$null</string>", "<string>one\n two</string>",
            "<integer>99999999999999999999</integer>", "<array>\n<dict><key>a</key><true/></dict>\n</array>",
        ]
        if random.oneOf(3) {
            return "<string>" + escapedXML(texts.randomElement(using: &random) ?? "") + "</string>"
        }
        return spellings.randomElement(using: &random) ?? "<true/>"
    }

    // MARK: Values

    static func value(_ random: inout SeededGenerator, depth: Int = 0) -> SettingValue {
        switch Int.random(in: 0..<(depth < 2 ? 13 : 10), using: &random) {
        case 0: .bool(random.oneOf(2))
        case 1: .integer(Int64.random(in: -3...3, using: &random))
        case 2: .real([0, -0.0, 1, 1.5, 100, 1e300].randomElement(using: &random) ?? 0)
        case 3: .null
        case 4: .date(Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...1, using: &random)) / 2))
        case 5: .data(Data([1, 2, 3]))
        case 6: .number("99999999999999999999")
        case 7: .dictionary([:])
        case 8: .array([])
        case 9: .string(texts.randomElement(using: &random) ?? "")
        case 10: .array((0..<2).map { _ in value(&random, depth: depth + 1) })
        default:
            .dictionary(
                (0..<2).reduce(into: SettingValue.Entries()) { entries, _ in
                    entries[names.randomElement(using: &random) ?? ""] = value(&random, depth: depth + 1)
                })
        }
    }

    /// The values of a program that has changed some of those in a file.
    static func changed(_ entries: SettingValue.Entries, _ random: inout SeededGenerator) -> SettingValue.Entries {
        var changed = entries
        let restlessness = [0, 1, 2, 6].randomElement(using: &random) ?? 1
        for (name, old) in entries.sortedByKey() {
            if case .dictionary(let inner) = old, !random.oneOf(8) {
                changed[name] = .dictionary(Self.changed(inner, &random))
            } else if Int.random(in: 0..<12, using: &random) < restlessness {
                changed[name] = random.oneOf(2) ? nil : value(&random)
            }
        }
        while Int.random(in: 0..<10, using: &random) < restlessness {
            changed[names.randomElement(using: &random) ?? ""] = value(&random)
        }
        return changed
    }
}

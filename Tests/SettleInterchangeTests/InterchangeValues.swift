import FoundationEssentials
import Settle
import SettleTesting

/// Random values with all that formats disagree about.
struct InterchangeValues {
    var random: SeededGenerator
    /// Whether only text, data, arrays and dictionaries occur.
    var isPlain = false

    var seed: String { "seed \(random.seed)" }

    mutating func next(depth: Int = 0) -> SettingValue {
        switch Int.random(in: 0...(depth < 4 ? 12 : 9), using: &random) {
        case 10: .array((0..<Int.random(in: 0...4, using: &random)).map { _ in next(depth: depth + 1) })
        case 11, 12: .dictionary(entries(depth: depth + 1))
        case 0, 1: .string(text())
        case 2: .data(Data((0..<Int.random(in: 0...9, using: &random)).map { UInt8(truncatingIfNeeded: $0 * 37) }))
        case let kind: isPlain ? .string(text()) : scalar(kind)
        }
    }

    private mutating func scalar(_ kind: Int) -> SettingValue {
        switch kind {
        case 3: .null
        case 4: .bool(.random(using: &random))
        case 5: .integer(pick([0, 1, -1, 255, 65_536, .max, .min, .random(in: .min ... .max, using: &random)]))
        case 6: .real(pick([0, -0.0, 0.1, 60, 1e22, .leastNonzeroMagnitude, .greatestFiniteMagnitude, bits()]))
        case 7:
            .real(pick([.infinity, -.infinity, .nan, Double(nan: 5, signaling: false), -.nan, bits()]))
        case 8: .number(pick(Self.literals))
        default:
            .date(
                Date(timeIntervalSinceReferenceDate: pick([0, -0.0, -0.5, 1.25, 86_400, seconds(), 1e15, .infinity])))
        }
    }

    private static let literals = [
        "5", "-0", "1.50", "1e3", "18446744073709551615", "18446744073709551616", "-9223372036854775809",
        "170141183460469231731687303715884105727", "170141183460469231731687303715884105728",
        "-99999999999999999999999999999999999999999999999999", "0.1000000000000000055", "1e400", "-1e-400",
        "1e99999999999999999999", "x", "", "01", "12345678901234567890e5",
    ]

    mutating func entries(depth: Int) -> SettingValue.Entries {
        var entries = SettingValue.Entries()
        for _ in 0..<Int.random(in: 0...4, using: &random) { entries[text()] = next(depth: depth) }
        if !isPlain, Int.random(in: 0...20, using: &random) == 0 { entries = ["CF$UID": .integer(5)] }
        return entries
    }

    mutating func text() -> String {
        let parts = [
            "a", "Z", "9", "_", " ", "\"", "'", "\\", "\n", "\r", "é", "😀", "/", "//", "/*", "*/", ";", "=",
            "\u{2028}", "\u{85}", "\t", "\0", "\u{7}", "\u{FEFF}", "\u{FFFF}", "<&>", "$null", ".", "-", "%#@a@", "{",
            ")",
        ]
        return (0..<Int.random(in: 0...3, using: &random)).map { _ in pick(parts) }.joined()
    }

    private mutating func bits() -> Double { Double(bitPattern: random.next()) }

    private mutating func seconds() -> Double { .random(in: -8e10...3e11, using: &random) }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: choices.indices, using: &random)]
    }
}

extension SettingValue {
    /// What Foundation has read that has only text, data, arrays and dictionaries.
    init?(plain value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let data as Data: self = .data(data)
        case let elements as [Any]: self = .array(elements.compactMap(SettingValue.init(plain:)))
        case let entries as [String: Any]:
            self = .dictionary(Entries(entries.compactMapValues(SettingValue.init(plain:))))
        default: return nil
        }
    }

    /// With each number as the kind of value that is read for it.
    var withPlainNumbers: SettingValue {
        switch self {
        case .number(let literal): SettingValue(numberLiteral: literal) ?? self
        case .array(let elements): .array(elements.map(\.withPlainNumbers))
        case .dictionary(let entries):
            .dictionary(Entries(uniqueKeysWithValues: entries.map { ($0.key, $0.value.withPlainNumbers) }))
        default: self
        }
    }

    /// The paths at which another value differs: in the bits of numbers, and in the bytes of texts.
    func differences(from other: SettingValue, below path: [String] = []) -> Set<[String]> {
        switch (self, other) {
        case (.array(let mine), .array(let others)) where mine.count == others.count:
            return zip(mine, others).enumerated().reduce(into: []) { found, pair in
                found.formUnion(
                    pair.element.0.differences(from: pair.element.1, below: path + [String(pair.offset)]))
            }
        case (.dictionary(let mine), .dictionary(let others)):
            return Set(mine.keys).union(others.keys).reduce(into: []) { found, key in
                guard let left = mine[key], let right = others[key] else {
                    found.insert(path + [key])
                    return
                }
                found.formUnion(left.differences(from: right, below: path + [key]))
            }
        default: return isSame(as: other) ? [] : [path]
        }
    }

    private func isSame(as other: SettingValue) -> Bool {
        switch (self, other) {
        case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)), (.number(let left), .number(let right)):
            left.utf8.elementsEqual(right.utf8)
        default: self == other
        }
    }
}

/// The description of what a call throws, or `nil`.
func failure<Failure: Error>(_ body: () throws(Failure) -> Void) -> Failure? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}

extension String {
    /// In UTF-16 with a byte order mark.
    func utf16Bytes(isBigEndian: Bool) -> [UInt8] {
        ("\u{FEFF}" + self).utf16.flatMap { unit -> [UInt8] in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? bytes : bytes.reversed()
        }
    }
}

import Settle
import Testing

/// A settings file before and after values were saved into it, as one text with marks.
///
/// `«old→new»` is `old` before and `new` after. A new part that begins with `~` stands for any spelling of its value,
/// so that only ``TextOracle`` judges the result. `⇥` is a tab, `␍` a carriage return, `·` a space, and `Ⓔ` an é of two
/// characters.
struct MarkedText: Sendable, CustomTestStringConvertible {
    var name: String
    var format: FileFormat
    var before: [UInt8]
    var after: [UInt8]
    /// Whether `after` is the only right result.
    var isExact: Bool

    var testDescription: String { "\(format): \(name)" }

    /// Reads a table in which a line `=== NAME` is in front of each text.
    static func table(_ format: FileFormat, _ table: String) -> [MarkedText] {
        (table + "\n").split(separator: "=== ").map { part in
            let name = part.prefix { $0 != "\n" }
            return MarkedText(String(name), format, String(part.dropFirst(name.count + 1)))
        }
    }

    init(_ name: String, _ format: FileFormat, _ text: String) {
        self.name = name
        self.format = format
        let text = text.replacing("⇥", with: "\t").replacing("␍", with: "\r").replacing("·", with: " ")
            .replacing("Ⓔ", with: "e\u{301}")
        var (before, after, isExact) = ("", "", true)
        for (index, part) in text.split(separator: "«", omittingEmptySubsequences: false).enumerated() {
            guard index > 0 else {
                before += part
                after += part
                continue
            }
            let halves = part.split(separator: "»", maxSplits: 1, omittingEmptySubsequences: false)
            let values = halves[0].split(separator: "→", maxSplits: 1, omittingEmptySubsequences: false)
            let rest = halves.count > 1 ? halves[1] : ""
            before += values[0] + rest
            let new = values.count > 1 ? values[1] : ""
            if new.hasPrefix("~") { isExact = false }
            after += (new.hasPrefix("~") ? new.dropFirst() : new) + rest
        }
        self.before = Array(before.utf8)
        self.after = Array(after.utf8)
        self.isExact = isExact
    }

    private init(_ text: MarkedText, _ variation: String, _ change: ([UInt8]) -> [UInt8]) {
        self = text
        name += ", " + variation
        before = change(before)
        after = change(after)
    }

    /// The same text with the line ends of Windows, with a byte order mark, and without a line end at its end.
    var variations: [MarkedText] {
        var variations = [self]
        if !before.contains(0x0D) {
            variations.append(
                MarkedText(self, "CRLF") { text in text.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] } })
        }
        if before.first != 0xEF {
            variations.append(MarkedText(self, "byte order mark") { [0xEF, 0xBB, 0xBF] + $0 })
        }
        if before.last == 0x0A, after.last == 0x0A {
            variations.append(MarkedText(self, "no line end at the end") { $0.dropLast() })
        }
        return variations
    }
}

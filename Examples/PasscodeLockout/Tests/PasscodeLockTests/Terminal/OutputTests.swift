import Foundation
import PasscodeLock
import Testing

@testable import passcode

/// Text from a file or a person on its way to a stream.
@Suite struct OutputTests {
    private static let deceptive = [
        "\u{1B}[2J", "\r", "\n", "\t", "\u{0}", "\u{7F}", "\u{9B}31m", "\u{85}", "\u{2028}", "\u{2029}", "\u{202E}",
        "\u{202A}", "\u{200E}", "\u{200F}", "\u{61C}", "\u{2066}", "\u{2069}", "\u{200B}", "\u{200D}", "\u{2060}",
        "\u{FEFF}", "\u{AD}", "\u{FE0F}", "\u{3164}", "\u{E0041}", "\u{1D173}", "\u{E000}", "\u{FFFFF}",
    ]

    @Test("Deceptive characters are spelled out in a sentence", arguments: deceptive)
    func sentence(_ text: String) {
        let output = Output.text("a\(text)b").encoded(showsColour: false)
        for scalar in text.unicodeScalars where scalar.value < 0x20 || scalar.value > 0x7E {
            #expect(!output.unicodeScalars.contains(scalar))
            #expect(output.contains("\\u{\(String(scalar.value, radix: 16, uppercase: true))}"))
        }
    }

    @Test("In JSON they are escapes, and it is still the same value", arguments: deceptive)
    func json(_ text: String) throws {
        let value = ["detail": "a\(text)“b”"]
        let output = Output.json(try JSONEncoder.line.text(of: value)).encoded(showsColour: false)
        for scalar in text.unicodeScalars where scalar.value < 0x20 || scalar.value > 0x7E {
            #expect(!output.unicodeScalars.contains(scalar))
        }
        #expect(try JSONDecoder().decode([String: String].self, from: Data(output.utf8)) == value)
    }

    @Test("Other characters are as they were", arguments: ["Grüße, 世界, עולם 🔑", "“a” … \u{A0}", "e\u{301}", "\\u{1B}"])
    func harmless(_ text: String) {
        #expect(Output.text(text).encoded(showsColour: false) == text)
    }

    @Test("A text can neither end its style nor begin one")
    func styled() {
        let output = Output.text("a\u{1B}[0mb", .red).encoded(showsColour: true)
        #expect(output == "\u{1B}[31ma\\u{1B}[0mb\u{1B}[0m")
        #expect(Output.text("a", .red).encoded(showsColour: false) == "a")
    }

    @Test(
        "No clock makes a date that can't be shown",
        arguments: [
            (10_350_000_000, "2297-12-23"), (9_223_372_037, "2262-04-11"), (253_402_300_799, "9999-12-31"),
            (1e300, ""), (-1e300, ""), (.infinity, ""), (.nan, ""),
        ] as [(TimeInterval, String)])
    func dates(_ seconds: TimeInterval, _ day: String) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(date.localTime.hasPrefix(day))
        #expect(try !JSONEncoder.line.text(of: [date]).isEmpty)
        let status = LockStatus.delayed(remaining: .seconds(60), level: 1)
        #expect(status.sentence.contains("1 min"))
    }
}

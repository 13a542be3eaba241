import Foundation
import Settle
import Testing

@testable import fleet

/// Texts that others have chosen, on their way to a terminal.
@Suite struct ControlsTests {
    @Test("A sentence has nothing that a terminal obeys") func sentences() {
        #expect("a\u{1B}[2J\n\u{9B}\u{202E}b".withoutControls == "a\u{FFFD}[2J\u{FFFD}\u{FFFD}\u{FFFD}b")
        #expect("“Grüße” → 世界".withoutControls == "“Grüße” → 世界")
    }

    @Test("JSON has escapes, and is still the same value") func json() throws {
        let value = SettingValue.dictionary(["a\u{9B}": .string("\u{1B}\u{7F}\u{202E}\u{E0041}é\n")])
        #expect(value.line.withoutControls == value.line)
        #expect(try SettingValue(json: Data(value.line.utf8)) == value)
        #expect("[\n  1\n]".withEscapedControls == "[\n  1\n]")
    }
}

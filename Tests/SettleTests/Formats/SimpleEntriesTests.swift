import SettleTesting
import Testing

@testable import Settle

/// JSON entries that are read the quick way.
///
/// A reader that records lines reads each entry by itself, so it shows what the quick way has to find.
@Suite(.timeLimit(.minutes(10))) struct SimpleEntriesTests {
    private static let keys = [
        "", "a", "abcdefg", "abcdefgh", "abcdefghi", "a long key with spaces", "é", "a long key with ü", "\u{7F}",
        "tab\u{9}", "line\nline line line", "quote\\\"", "\\u0041", "back\\\\slash",
    ]
    private static let values = [
        "0", "-0", "-1", "05", "-", "123456789012345678", "-123456789012345678", "1234567890123456789",
        "9223372036854775808", "1.5", "1e3", "1x", "true", "false", "tru", "truefalse", "null", "\"\"", "\"text\"",
        "\"a longer text, with a comma\"", "\"é\"", "\"\\n\"", "\"\u{1}\"", "[1, 2]", "{\"b\": 1, \"c\": 2}", "{}", "",
    ]
    private static let gaps = ["", " ", "\n  ", "\t", " // text\n", "/* */"]

    private func read(
        _ text: String, _ dialect: JSONReader.Dialect, recordsLines: Bool
    ) -> Result<SettingTree, FormatError> {
        var reader = JSONReader(Array(text.utf8), dialect, recordsLines: recordsLines)
        do throws(FormatError) {
            return .success(try reader.readFile())
        } catch {
            return .failure(error)
        }
    }

    @Test("Each kind of value is read, and the last entry too") func kinds() throws {
        let text = "{\"a\": 1, \"b\":-20,\n\"a long key\": true, \"d\" : false, \"e\": \"text\", \"f\": 2}"
        let expected: SettingValue.Entries = [
            "a": .integer(1), "b": .integer(-20), "a long key": .bool(true), "d": .bool(false), "e": .string("text"),
            "f": .integer(2),
        ]
        #expect(try read(text, .strict, recordsLines: false).get().root == expected)
    }

    @Test("Random objects have the values, or the error, that reading each entry by itself finds") func agreement() {
        var random = SeededGenerator()
        func pick(_ texts: [String]) -> String { texts[Int.random(in: 0..<texts.count, using: &random)] }
        for _ in 0..<4_000 {
            // Mostly what is right, so that reading does not end with the first entry.
            let isOdd = Int.random(in: 0..<3, using: &random) == 0
            let entries = (0..<Int.random(in: 0..<8, using: &random)).map { number in
                let key = isOdd ? pick(Self.keys) : "key \(number) \(pick(["", "é", "longer"]))"
                let value = isOdd ? pick(Self.values) : pick(["\(number)", "true", "\"text\"", "{\"a\": 1}", "1.5"])
                let gaps = (0..<4).map { _ in isOdd ? pick(Self.gaps) : pick(["", " "]) }
                return "\(gaps[0])\"\(key)\"\(gaps[1]):\(gaps[2])\(value)\(gaps[3])"
            }
            let text = "{" + entries.joined(separator: ",") + (isOdd ? pick(["}", ",}", "", "} x"]) : "}")
            for dialect in [JSONReader.Dialect.strict, .commented] {
                let (quick, slow) = (
                    read(text, dialect, recordsLines: false), read(text, dialect, recordsLines: true)
                )
                switch (quick, slow) {
                case (.success(let quick), .success(let slow)):
                    #expect(quick == slow, "seed \(random.seed): \(text)")
                case (.failure(let quick), .failure(let slow)):
                    #expect("\(quick)" == "\(slow)", "seed \(random.seed): \(text)")
                default: Issue.record("seed \(random.seed): \(text): \(quick), \(slow)")
                }
            }
        }
    }
}

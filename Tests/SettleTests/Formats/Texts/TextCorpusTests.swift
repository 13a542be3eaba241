import Settle
import Testing

/// Saves values into the hand-written files.
@Suite struct TextCorpusTests {
    static let texts = (JSONTexts.all + XMLTexts.all).flatMap(\.variations)

    @Test("The oracle finds each expected text right", arguments: texts)
    func expectations(text: MarkedText) throws {
        let tree = try TextDocument(text.after, text.format).tree
        #expect(TextOracle.complaints(text.before, text.after, tree, text.format) == [])
    }

    @Test("A file is read with all its comments", arguments: texts)
    func reading(text: MarkedText) throws {
        let tree = try read(text.before, text.format)
        let expected = try TextDocument(text.before, text.format).tree
        #expect(try text.format.encode(tree) == text.format.encode(expected))
    }

    @Test("The values that a file has already leave it as it is", arguments: texts)
    func unchanged(text: MarkedText) throws {
        let tree = try TextDocument(text.before, text.format).tree
        #expect(shown(try rewritten(text.before, tree, text.format)) == shown(text.before))
    }

    @Test("Only the bytes of what changes change", arguments: texts)
    func changed(text: MarkedText) throws {
        let tree = try TextDocument(text.after, text.format).tree
        let result = try rewritten(text.before, tree, text.format)
        if text.isExact { #expect(shown(result) == shown(text.after)) }
        let complaints = TextOracle.complaints(text.before, result, tree, text.format)
        #expect(complaints == [], "\(shown(result))")
        #expect(shown(try rewritten(result, tree, text.format)) == shown(result))
    }

    @Test("There are hundreds of texts, and most have only one right result") func size() {
        let texts = JSONTexts.all + XMLTexts.all
        #expect(texts.count >= 300)
        #expect(texts.count(where: \.isExact) >= 200)
        #expect(Set(texts.map(\.testDescription)).count == texts.count)
        #expect(texts.count { $0.before != $0.after } >= 250)
    }

    /// Compared as text, so that a failure can be read, but with all characters that can't be seen.
    private func shown(_ text: [UInt8]) -> String {
        String(decoding: text, as: UTF8.self).unicodeScalars.map { scalar in
            switch scalar {
            case "\n": "\n"
            case "\t": "⇥"
            case "\r": "␍"
            case "\u{FEFF}": "(byte order mark)"
            default: scalar.value < 0x80 ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            }
        }.joined()
    }
}

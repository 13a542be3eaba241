import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct QuotedSearchTests {
    /// The same, one byte after the other.
    private func onlyEnd(of name: String, in json: [UInt8]) -> Int? {
        let spelling = Array("\"\(name)\"".utf8)
        var ends: [Int] = []
        var position = 0
        while position + 1 < json.count {
            if json[position] == UInt8(ascii: "\\") {
                if json[position + 1] == UInt8(ascii: "u") { return nil }
                position += 2
                continue
            }
            if json[...(position + 1)].suffix(spelling.count).elementsEqual(spelling) {
                ends.append(position + 2)
            }
            position += 1
        }
        return ends.count == 1 ? ends[0] : nil
    }

    @Test("A name is found wherever it is, if it is there once and no character is spelled as a number")
    func search() {
        var random = SeededGenerator(seed: 21)
        for _ in 0..<4_000 {
            let letters = ["\"", "a", " ", "é"] + [["\\"], ["\\", "u"], []][Int.random(in: 0..<3, using: &random)]
            let count = Int.random(in: 0..<120, using: &random)
            let rarity = Int.random(in: 1..<20, using: &random)
            let json = (0..<count).map { _ in
                Int.random(in: 0..<rarity, using: &random) == 0 ? letters.randomElement(using: &random) ?? "" : "x"
            }
            // Without a byte to spare, so that the sanitizer notices one that is read.
            let bytes = Array(json.joined().utf8)
            for name in ["", "a", "x", "xx", "xxxxxxxx"] {
                #expect(QuotedSearch(name).onlyEnd(in: bytes) == onlyEnd(of: name, in: bytes), "\(json.joined())")
            }
        }
    }

    @Test("Every offset is searched", arguments: 0..<100) func offsets(offset: Int) {
        let space = String(repeating: " ", count: offset)
        for tail in [0, 1, 7, 8, 31, 32, 33] {
            let text = space + "\"name\"" + String(repeating: ":", count: tail)
            #expect(QuotedSearch("name").onlyEnd(in: Array(text.utf8)) == offset + 6)
            #expect(QuotedSearch("names").onlyEnd(in: Array(text.utf8)) == nil)
            #expect(QuotedSearch("name").onlyEnd(in: Array((text + text).utf8)) == nil)
            #expect(QuotedSearch("name").onlyEnd(in: Array((text + "\\u0061").utf8)) == nil)
            #expect(QuotedSearch("name").onlyEnd(in: Array((text + "\\\\u0061").utf8)) == offset + 6)
        }
    }
}

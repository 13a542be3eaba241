import SettleTesting
import Testing

@testable import Settle

@Suite struct SettingKeyTests {
    @Test("A key from elsewhere with many names has only the parents that a value can have")
    func manyNames() {
        let key = SettingKey(stored: Array(repeating: "a", count: 100_000).joined(separator: "."))
        #expect(key.depth == 100_000 && key.parents.count == 128 && key.literals.isEmpty)
        #expect(key.parents.last?.depth == 128)
    }

    @Test(
        "A key is names with dots between them, and a backslash stands before a dot in a name",
        arguments: [
            ("a", ["a"]), ("a.b.c", ["a", "b", "c"]), (#"window\.width"#, ["window.width"]),
            (#"a\\.b"#, [#"a\"#, "b"]),
            (#"a\\\.b"#, [#"a\.b"#]), (#"a.carol@example\.com.x"#, ["a", "carol@example.com", "x"]),
        ])
    func keyNamesDots(
        text: String, components: [String]
    ) throws {
        let key = try #require(SettingKey(text))
        #expect(key.components == components)
        #expect(key.description == text)
        #expect(SettingKey(components: components) == key)
        #expect(key.depth == components.count)
        #expect(key.name == components.last)
        #expect(key.parent?.components ?? [] == Array(components.dropLast()))
        #expect(key.parents.map(\.components) == (1..<components.count).map { Array(components[..<$0]) })
        #expect(key.split?.first ?? key.name == components[0])
        #expect(key.split?.rest.components ?? [] == Array(components.dropFirst()))
    }

    @Test(
        "The path of a name with dots has its dots between names",
        arguments: [
            ("a.b", "a.b"), (#"a\.b"#, "a.b"), (#"a.b\.c"#, "a.b.c"), (#"a\.b.c"#, "a.b.c"), (#"a\\.b"#, #"a\\.b"#),
            (#"a\\\.b"#, #"a\\.b"#), ("a\\.\u{301}b", "a.\u{301}b"),
        ])
    func asPath(text: String, path: String) {
        #expect(SettingKey(stored: text).asPath.description == path)
    }

    @Test("A backslash before anything else stands for itself") func backslashBeforeAnything() {
        let key = SettingKey(stored: #"C:\Users\"#)
        #expect(key.components == [#"C:\Users\"#])
        #expect(key.description == #"C:\\Users\\"#)
        #expect(SettingKey(key.description) == key)
    }

    @Test("A key has no empty name", arguments: ["", ".", "a.", ".a", "a..b", #"a\..."#])
    func keyEmptyName(text: String) {
        #expect(SettingKey(text) == nil)
        #expect(SettingKey(stored: text).hasEmptyName)
        #expect(SettingKey(stored: text).description == text)
    }

    @Test("A path takes any names, and an empty one makes a key that can't be used") func pathTakesAny() {
        #expect(SettingKey.path("accounts", "carol@example.com").components == ["accounts", "carol@example.com"])
        #expect(SettingKey.path("a", "").hasEmptyName)
        #expect(SettingKey(components: ["a", ""]) == nil)
        #expect(SettingKey(components: []) == nil)
    }

    @Test("Keys are told apart by bytes, whatever Unicode says of their characters") func keysToldApart() {
        let (composed, decomposed) = (SettingKey(stored: "caf\u{E9}"), SettingKey(stored: "cafe\u{301}"))
        #expect(composed.description == decomposed.description)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        // A combining mark makes one character of the dot and itself, and the dot parts the names all the same.
        let key: SettingKey = "passcode.attemptCount.\u{301}x"
        #expect(key.components.count == 3)
        #expect(key.isWithin("passcode.attemptCount"))
        #expect(key.parent == "passcode.attemptCount")
    }

    @Test("A key contains those with its names in front") func keyContainsThose() {
        let key: SettingKey = "a.b"
        #expect(key.contains("a.b.c"))
        #expect(!key.contains("a.b"))
        #expect(!key.contains("a.bc.d"))
        #expect(!key.contains(#"a.b\.c"#))
        #expect(!key.contains("a"))
        #expect(key.rest(of: #"a.b.c\.d.e"#) == #"c\.d.e"#)
        #expect(key.rest(of: "a.c") == nil)
        #expect(key.appending(component: "c.d") == #"a.b.c\.d"#)
        #expect(key.appending("c.d") == "a.b.c.d")
        #expect(["b", "a.b", "a", "a-b"].sorted() == ["a", "a-b", "a.b", "b"] as [SettingKey])
    }

    @Test("Every byte of a text counts, however long it is") func everyByteText() {
        for length in 1..<40 {
            let text = String(repeating: "m", count: length)
            let key = SettingKey(stored: text)
            #expect(key.isPlain)
            // Equal bytes at another address.
            #expect(Set([key, SettingKey(stored: String(Array(text)))]).count == 1)
            for place in 0..<length {
                func with(_ byte: Character) -> SettingKey {
                    var other = Array(text)
                    other[place] = byte
                    return SettingKey(stored: String(other))
                }
                #expect(!with(".").isPlain && !with("\\").isPlain, "\(place) of \(length)")
                // Their neighbours in ASCII are nothing special.
                for byte in ["-", "/", "[", "]", "\u{AE}"] as [Character] { #expect(with(byte).isPlain) }
                #expect(with("l") != key && with("n") != key)
                #expect(with("l") < key && key < with("n") && !(key < with("l")) && !(key < key))
                #expect(with("é") > key)
            }
            #expect(key < SettingKey(stored: text + "m") && !(SettingKey(stored: text + "m") < key))
        }
    }

    @Test("Random names survive being a key") func randomNamesSurvive() {
        var random = SeededGenerator(seed: 17)
        let letters = ["a", ".", "\\", "é", "\u{301}", "b"]
        for _ in 0..<5_000 {
            let names = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (0..<Int.random(in: 1...5, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
                    .joined()
            }
            guard let key = SettingKey(components: names), let again = SettingKey(key.description) else {
                Issue.record("\(names) is no key")
                return
            }
            #expect(again == key)
            #expect(zip(again.components, names).allSatisfy { Array($0.utf8) == Array($1.utf8) })
            #expect(again.components.count == names.count)
        }
    }
}

import Settle
import Testing

private struct WordySettings: SettingsGroup {
    @Setting(title: "A", help: "a.", unit: "s") var a = 0
    @Setting("bee", in: 0...20, title: "B") var b = 0
    @Setting(in: 0...20, help: "c.") var c: Int?
    @Setting(.oneOf([1, 2]), unit: "m") var d = 1
    @Setting(.count(1...3), title: "E") var e: [Int]?
    @Setting(.check("positive") { $0 > 0 }, title: "F") var f = 1
    @Setting(default: { 3 }, title: "G") var g: Int
    @Setting(codec: .standard, title: "H") var h = 1
    @Setting(title: "I") var i: String?
    @Setting(.range(0...), title: "J") var j = 1
    @Setting(.matching(/a*/), title: "K") var k = ""
    @Setting(.matching("a*"), title: "L") var l = ""
    @Setting var m = 0
}

@Suite(.timeLimit(.minutes(10))) struct WordsTests {
    @Test("What a declaration says for people is listed") func declarationSaysPeople() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(WordySettings.self)
        let listed = store.settings
        #expect(listed.map(\.key) == ["a", "bee", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"])
        #expect(
            listed.map(\.title) == ["A", "B", nil, nil, "E", "F", "G", "H", "I", "J", "K", "L", nil])
        #expect(listed.map(\.help) == ["a.", nil, "c."] + Array(repeating: nil, count: 10))
        #expect(listed.map(\.unit) == ["s", nil, nil, "m"] + Array(repeating: nil, count: 9))
        withExtendedLifetime(settings) {}
    }
}

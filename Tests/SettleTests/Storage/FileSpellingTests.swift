import Testing

@testable import Settle

@Suite struct FileSpellingTests {
    private func spelling(_ name: String, chosen: FileFormat? = nil) -> FileSpelling {
        FileSpelling(FilePath("/\(name)"), chosen: chosen)
    }

    @Test("What neither a name nor the bytes say is JSON") func unknown() throws {
        let unknown = spelling("settings.conf")
        #expect(!unknown.isKnown && unknown.format(toReplace: nil) == .json && unknown.format(toReplace: []) == .json)
        #expect(try unknown.decode(Array(#"{"a": 1}"#.utf8)).root == ["a": .integer(1)])
        #expect(throws: FormatError.self) { try unknown.decode(Array("?".utf8)) }
    }

    @Test("What a format can't spell is refused, and is like nothing else") func unsupported() {
        let json = spelling("settings.json")
        let infinite = SettingTree(["a": .real(.infinity)])
        let error = #expect(throws: StorageError.self) { try json.encode(infinite) }
        #expect(error?.code == .unsupportedValue)
        #expect(!json.isSpelledAlike(.real(.infinity), .real(.infinity)))
        #expect(!json.isSpelling(Array("{}".utf8), of: infinite))
        #expect(!json.isSpelling(Array("{".utf8), of: SettingTree()))
        #expect(json.isSpelling(Array("{}".utf8), of: SettingTree()))
    }

    @Test("A file that would be too large is refused") func size() throws {
        var json = spelling("settings.json")
        let tree = SettingTree(["a": .string("long enough")])
        json.sizeLimit = try json.encode(tree).count
        #expect(throws: Never.self) { try json.encode(tree) }
        json.sizeLimit -= 1
        let error = #expect(throws: StorageError.self) { try json.encode(tree) }
        #expect(error?.code == .unsupportedValue)
    }
}

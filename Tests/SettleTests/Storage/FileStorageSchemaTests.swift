import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct FileStorageSchemaTests {
    private let old = Array("{\"old\": 1}\n".utf8)
    private let new = Array("{\"new\": 22}\n".utf8)

    private func schema(of fixture: FileStorageFixture) throws -> [UInt8] {
        Array(try fixture.text(of: "settings.schema.json").utf8)
    }

    @Test("A schema whose write fails at any call is the old one or the new one") func failures() throws {
        var failed = 0
        for number in 0... {
            let fixture = try FileStorageFixture()
            let storage = try fixture.opened()
            _ = try storage.writeSchema(old)
            fixture.calls.fail(call: number, with: .error(.inputOutput), forGood: false)
            let error = thrown { _ = try storage.writeSchema(new) }
            let isReached = fixture.calls.faultCount > 0
            fixture.calls.heal()
            let found = try schema(of: fixture)
            #expect(found == old || found == new)
            #expect(error != nil || found == new, "a call that returns has written")
            if let error { #expect("\(error)".contains("settings.schema.json"), "\(error)") }
            failed += error == nil ? 0 : 1
            _ = try storage.writeSchema(new)
            #expect(try schema(of: fixture) == new)
            storage.close()
            #expect(fixture.calls.openFiles.isEmpty)
            if !isReached { break }
        }
        #expect(failed > 5)
    }

    @Test("What an interrupted write has left is removed, and the schema is private and has its own name")
    func leftovers() throws {
        let fixture = try FileStorageFixture()
        let left = ".settings.json.0123456789abcdef.tmp"
        try fixture.write("{", to: left)
        let storage = try fixture.opened()
        let path = try storage.writeSchema(new)
        #expect(path.name == "settings.schema.json")
        #expect(try fixture.permissions(of: "settings.schema.json") == 0o600)
        try storage.save(batch(1, ["a": .integer(1)]))
        #expect(try !fixture.names().contains(left))
        storage.close()
        for (name, schema) in [("a.plist", "a.plist.schema.json"), ("a", "a.schema.json"), (".json", ".schema.json")] {
            #expect(FileNames(FilePath("/x/\(name)")).schema.name == schema)
        }
    }
}

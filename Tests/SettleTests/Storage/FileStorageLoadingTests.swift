import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct FileStorageLoadingTests {
    @Test("Loading a missing file in a missing folder reports it as absent and creates neither") func absent() throws {
        let fixture = try FileStorageFixture("one/settings.json")
        #expect(try fixture.storage().load() == StorageContents(outcome: .absent))
        #expect(try fixture.names().isEmpty)
    }

    @Test("A removed file loads without values even if its previous version exists") func removed() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        try storage.save(batch(2, ["a": .integer(2)]))
        try FileManager.default.removeItem(at: fixture.file)
        #expect(try fixture.freshLoad().tree == SettingTree())
    }

    @Test(
        "A file that can't be read is reported as unreadable and never overwritten",
        arguments: [SystemError.permissionDenied, .notPermitted, .inputOutput, .isFolder, .tooManySymbolicLinks])
    func unreadable(cause: SystemError) throws {
        let fixture = try FileStorageFixture()
        try fixture.write("{\"a\": 1}")
        let storage = fixture.storage()
        fixture.calls.fail(every: .open, with: cause)
        let error = #expect(throws: StorageError.self) { try storage.load() }
        #expect(error?.code == .unreadable)
        #expect(error?.errno == cause.number)
        #expect(error?.description.contains(fixture.file.path) == true)
        fixture.calls.heal()
        for durability in [StorageDurability.buffered, .synced] {
            let refused = #expect(throws: StorageError.self) {
                try storage.append(batch(1, ["a": .integer(2)]), durability: durability)
            }
            #expect(refused?.code == .unreadable)
        }
        #expect(throws: StorageError.self) { try storage.checkpoint(SettingTree(), for: .resting) }
        #expect(try fixture.text() == "{\"a\": 1}")
        #expect(try storage.load() == intact(["a": .integer(1)]))
        try storage.append(batch(1, ["b": .integer(2)]), durability: .synced)
        #expect(try fixture.freshLoad() == intact(["a": .integer(1), "b": .integer(2)]))
    }

    /// As with data protection on Apple's platforms before the first unlock: files exist but can't be opened.
    @Test("A journal that can't be opened is unreadable too, and its values load later") func locked() throws {
        let fixture = try FileStorageFixture()
        try fixture.opened().append(batch(1, ["a": .integer(1)]), durability: .synced)
        let storage = fixture.storage()
        for kind in [SystemCall.Kind.open, .update] { fixture.calls.fail(every: kind, with: .notPermitted) }
        let error = #expect(throws: StorageError.self) { try storage.load() }
        #expect(error?.code == .unreadable)
        fixture.calls.heal()
        #expect(throws: StorageError.self) { try storage.checkpoint(SettingTree(), for: .resting) }
        #expect(try storage.load().tree["a"] == .integer(1))
    }

    @Test("A failed load after a successful one stops all writing until a load succeeds") func laterFailure() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        fixture.calls.fail(every: .open, with: .inputOutput)
        #expect(throws: StorageError.self) { try storage.load() }
        fixture.calls.heal()
        let error = #expect(throws: StorageError.self) { try storage.checkpoint(SettingTree(), for: .resting) }
        #expect(error?.code == .unreadable)
        #expect(error?.description.contains("the last load failed") == true)
        #expect(try storage.load() == intact(["a": .integer(1)]))
        #expect(try storage.checkpoint(SettingTree(), for: .resting))
    }

    @Test("A folder in the file's place is unreadable and left alone") func folder() throws {
        let fixture = try FileStorageFixture()
        try FileManager.default.createDirectory(at: fixture.file, withIntermediateDirectories: false)
        let storage = fixture.storage()
        let error = #expect(throws: StorageError.self) { try storage.load() }
        #expect(error?.code == .unreadable)
        #expect(error?.description.contains("not a regular file") == true)
        #expect(throws: StorageError.self) { try storage.checkpoint(SettingTree(), for: .resting) }
        #expect(try fixture.names() == ["settings.json"])
    }

    @Test("A file in the folder's place is unreadable, not absent") func fileAsFolder() throws {
        let fixture = try FileStorageFixture("one/settings.json")
        try fixture.write("", to: "one")
        let error = #expect(throws: StorageError.self) { try fixture.storage().load() }
        #expect(error?.code == .unreadable)
    }

    @Test("A circular symbolic link is unreadable") func circle() throws {
        let fixture = try FileStorageFixture()
        try FileManager.default.createSymbolicLink(
            atPath: fixture.file.path, withDestinationPath: fixture.file.lastPathComponent)
        let error = #expect(throws: StorageError.self) { try fixture.storage().load() }
        #expect(error?.code == .unreadable)
    }

    @Test("A file over the size limit is unreadable, and its contents are never read") func tooLarge() throws {
        let fixture = try FileStorageFixture()
        try fixture.write("")
        let handle = try FileHandle(forWritingTo: fixture.file)
        try handle.truncate(atOffset: UInt64(FileStorage.sizeLimit) + 1)
        try handle.close()
        let error = #expect(throws: StorageError.self) { try fixture.storage().load() }
        #expect(error?.code == .unreadable)
        #expect(error?.description.contains("\(FileStorage.sizeLimit) bytes") == true)
        #expect(!fixture.calls.calls.map(\.kind).contains(.read))
    }

    @Test(
        "A URL that names no file is unreadable",
        arguments: ["https://example.com/settings.json", "file:///a%00b", "file:///"])
    func noFileURL(text: String) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: StorageError.self) { try FileStorage(at: url).load() }
        #expect(error?.code == .unreadable)
    }

    @Test(
        "A new file gets the format of its name, an existing one keeps its own, and a chosen format wins",
        arguments: [
            ("settings.json", FileFormat?.none, FileFormat?.none, FileFormat.json),
            ("settings", nil, nil, .json),
            ("settings.plist", nil, nil, .propertyListXML),
            ("settings.plist", .propertyListBinary, nil, .propertyListBinary),
            ("settings.plist", .propertyListXML, nil, .propertyListXML),
            ("settings.json", .propertyListBinary, nil, .propertyListBinary),
            ("settings.plist", .propertyListBinary, .propertyListXML, .propertyListXML),
            ("settings.json", .propertyListXML, .json, .json),
        ])
    func formats(name: String, existing: FileFormat?, chosen: FileFormat?, expected: FileFormat) throws {
        let fixture = try FileStorageFixture(name)
        var root: SettingValue.Entries = [:]
        if let existing {
            root["a"] = .integer(1)
            try Data(existing.encode(SettingTree(root))).write(to: fixture.file)
        }
        let storage = fixture.storage(format: chosen)
        #expect(try storage.load().tree.root == root)
        try storage.save(batch(1, ["b": .string("x")]), over: root)
        root["b"] = .string("x")
        #expect(try expected.decode(Array(Data(contentsOf: fixture.file))) == SettingTree(root))
    }

    @Test("Undeclared keys survive a change of another key") func unknownKeys() throws {
        let fixture = try FileStorageFixture()
        try fixture.write(#"{"future": {"list": [1, "two", {"x": null}]}, "a": 1}"#)
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(2)]), durability: .synced)
        #expect(
            try fixture.freshLoad()
                == intact([
                    "a": .integer(2),
                    "future": .dictionary(["list": .array([.integer(1), .string("two"), .dictionary(["x": .null])])]),
                ]))
    }

    @Test("A load merges what another program wrote with what only the journal has") func reload() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        fixture.calls.fail(every: .rename, with: .inputOutput)
        try storage.append(batch(1, ["mine": .integer(1)]), durability: .synced)
        #expect(throws: StorageError.self) {
            try storage.checkpoint(SettingTree(["mine": .integer(1)]), for: .settled)
        }
        fixture.calls.heal()
        try fixture.write(#"{"theirs": 2}"#)
        #expect(try storage.load() == intact(["mine": .integer(1), "theirs": .integer(2)]))
        #expect(try fixture.freshLoad() == intact(["mine": .integer(1), "theirs": .integer(2)]))
    }

    @Test("A checkpoint removes the temporary files of a crashed process, not those of a running one")
    func abandoned() throws {
        let fixture = try FileStorageFixture()
        let names = [".settings.json.0123456789abcdef.tmp", ".settings.json.00000000000000ff.tmp"]
        for name in names { try fixture.write("{", to: name) }
        let others = [".settings.json.tmp", ".settings.json.xyz.tmp", ".other.json.0123456789abcdef.tmp"]
        for name in others { try fixture.write("{", to: name) }
        let calls = POSIXSystemCalls()
        let living = try calls.openFile(fixture.folder.appending(path: names[1]).path, .read)
        try calls.lockFile(living)
        let ours = [".settings.json.journal", ".settings.json.previous", "settings.json"]
        try fixture.opened().save(batch(1, ["a": .integer(1)]))
        #expect(try fixture.names() == ([names[1]] + others + ours.filter { !$0.contains("previous") }).sorted())
        try calls.closeFile(living)
        try fixture.opened().save(batch(1, ["a": .integer(2)]))
        #expect(try fixture.names() == (others + ours).sorted())
    }

    @Test("A load that is repeated leaves no file open") func repeated() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        for _ in 0..<3 { #expect(try storage.load() == intact(["a": .integer(1)])) }
        #expect(fixture.calls.openFiles.count == 1)
        storage.close()
        #expect(fixture.calls.openFiles.isEmpty)
    }

    @Test(
        "A load throws or finds the right values and changes nothing, whichever call fails",
        arguments: CallTrouble.all)
    func everyCall(trouble: CallTrouble) throws {
        for text in [nil, "{\"a\": 1}"] {
            var call = 0
            var wasHit = true
            while wasHit {
                let fixture = try FileStorageFixture()
                if let text { try fixture.write(text) }
                let expected = text == nil ? StorageContents(outcome: .absent) : intact(["a": .integer(1)])
                let storage = fixture.storage()
                fixture.calls.fail(call: call, with: trouble.fault, forGood: trouble.forGood)
                do {
                    #expect(try storage.load() == expected)
                    fixture.calls.heal()
                } catch {
                    #expect(error.code == .unreadable)
                    fixture.calls.heal()
                    #expect(throws: StorageError.self) { try storage.checkpoint(SettingTree(), for: .resting) }
                    #expect(try storage.load() == expected)
                }
                #expect(try fixture.names() == (text == nil ? [] : ["settings.json"]))
                #expect(fixture.calls.openFiles.isEmpty)
                wasHit = fixture.calls.faultCount > 0
                call += 1
            }
            #expect(trouble.fault == .short ? call >= 1 : call > 3)
        }
    }
}

import Foundation
import Settle
import SettleTesting
import Testing

@Suite struct FileStorageSavingTests {
    @Test("a stable save syncs the file before the rename and the folder after it") func stableOrder() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .stable)
        let folder = fixture.folder.lastPathComponent
        #expect(
            fixture.callTexts == [
                "create temporary", "lock temporary", "setPermissions temporary", "write temporary",
                "synchronize temporary", "close temporary", "rename settings.json",
                "openFolder \(folder)", "synchronize \(folder)", "close \(folder)",
            ])
        fixture.calls.forget()
        try storage.append(batch(2, ["a": .integer(2)]), durability: .stable)
        #expect(
            fixture.callTexts == [
                "create temporary", "lock temporary", "setPermissions temporary", "write temporary",
                "synchronize temporary", "close temporary",
                "remove .settings.json.previous", "link .settings.json.previous", "rename settings.json",
                "openFolder \(folder)", "synchronize \(folder)", "close \(folder)",
            ])
        #expect(fixture.calls.openFiles.isEmpty)
    }

    @Test("a save that need not be stable syncs nothing") func processOrder() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .process)
        #expect(
            fixture.callTexts == [
                "create temporary", "lock temporary", "setPermissions temporary", "write temporary",
                "close temporary", "rename settings.json",
            ])
    }

    @Test("an empty batch makes an earlier unsynced save stable, once") func emptyBatchSyncs() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .process)
        fixture.calls.forget()
        try storage.append(batch(1, [:]), durability: .process)
        #expect(fixture.calls.calls.isEmpty)
        try storage.append(batch(1, [:]), durability: .stable)
        #expect(fixture.calls.calls.map(\.kind).count { $0 == .synchronize } == 2)
        fixture.calls.forget()
        try storage.append(batch(1, [:]), durability: .stable)
        try storage.checkpoint()
        #expect(fixture.calls.calls.isEmpty)
    }

    @Test("a load between an unsynced save and a checkpoint does not make the checkpoint skip it") func reload() throws
    {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .process)
        _ = try storage.load()
        fixture.calls.forget()
        try storage.checkpoint()
        #expect(fixture.calls.calls.map(\.kind).count { $0 == .synchronize } == 2)
    }

    @Test("a checkpoint makes everything stable") func checkpoint() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .process)
        fixture.calls.forget()
        try storage.checkpoint()
        #expect(fixture.calls.calls.map(\.kind).count { $0 == .synchronize } == 2)
    }

    @Test("missing folders are made, and those around them synced by the first stable save") func folders() throws {
        let fixture = try FileStorageFixture("one/two/settings.json")
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .process)
        #expect(!fixture.calls.calls.map(\.kind).contains(.synchronize))
        fixture.calls.forget()
        try storage.checkpoint()
        let synced = fixture.callTexts.filter { $0.hasPrefix("synchronize") }
        #expect(
            synced == [
                "synchronize temporary", "synchronize two", "synchronize one",
                "synchronize \(fixture.folder.lastPathComponent)",
            ])
        #expect(try fixture.freshLoad() == intact(["a": .integer(1)]))
    }

    @Test("a folder whose permissions could not be set is synced like the others") func folderFailure() throws {
        let fixture = try FileStorageFixture("one/settings.json")
        let storage = try fixture.opened()
        fixture.calls.fail(every: .setPermissions, with: .inputOutput)
        #expect(throws: StorageError.self) {
            try storage.append(batch(1, ["a": .integer(1)]), durability: .stable)
        }
        fixture.calls.heal()
        try storage.checkpoint()
        #expect(fixture.callTexts.contains("synchronize \(fixture.folder.lastPathComponent)"))
    }

    @Test("files are 0600 and folders 0700, whatever the mask says", arguments: [0, 0o022, 0o077, 0o777] as [UInt16])
    func permissions(mask: UInt16) throws {
        let fixture = try FileStorageFixture("one/two/settings.json", mask: mask)
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .stable)
        try storage.append(batch(2, ["a": .integer(2)]), durability: .stable)
        #expect(try fixture.permissions(of: "one") == 0o700)
        #expect(try fixture.permissions(of: "one/two") == 0o700)
        #expect(try fixture.permissions(of: "one/two/settings.json") == 0o600)
        #expect(try fixture.permissions(of: "one/two/.settings.json.previous") == 0o600)
    }

    @Test("a file that others could read becomes 0600, and so does its previous version") func narrows() throws {
        let fixture = try FileStorageFixture()
        try fixture.write("{}")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: fixture.file.path)
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .stable)
        #expect(try fixture.permissions(of: "settings.json") == 0o600)
        #expect(try fixture.permissions(of: ".settings.json.previous") == 0o600)
    }

    @Test("only the file and its previous version are left behind") func leavesNothing() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        for revision in 1...5 as ClosedRange<UInt64> {
            try storage.append(batch(revision, ["a": .integer(Int64(revision))]), durability: .stable)
        }
        #expect(try fixture.names() == [".settings.json.previous", "settings.json"])
        #expect(try fixture.text(of: ".settings.json.previous").contains("4"))
    }

    @Test("an unsynced version never takes the place of the previous one") func previousIsStable() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        for revision in 1...3 as ClosedRange<UInt64> {
            try storage.append(batch(revision, ["a": .integer(Int64(revision))]), durability: .stable)
        }
        try storage.append(batch(4, ["a": .integer(4)]), durability: .process)
        try storage.append(batch(5, ["a": .integer(5)]), durability: .process)
        #expect(try fixture.text(of: ".settings.json.previous").contains("3"))
    }

    @Test("what was loaded is synced before it becomes the previous version") func syncsLoaded() throws {
        let fixture = try FileStorageFixture()
        try fixture.write("{\"a\": 1}")
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(2)]), durability: .process)
        #expect(
            fixture.callTexts.drop { $0 != "open settings.json" } == [
                "open settings.json", "setPermissions settings.json", "synchronize settings.json",
                "close settings.json", "remove .settings.json.previous", "link .settings.json.previous",
                "rename settings.json",
            ])
        #expect(try fixture.text(of: ".settings.json.previous") == "{\"a\": 1}")
    }

    @Test("a symbolic link stays one, and the file it leads to is replaced") func symbolicLink() throws {
        let fixture = try FileStorageFixture()
        let manager = FileManager.default
        try manager.createDirectory(at: fixture.folder.appending(path: "real"), withIntermediateDirectories: false)
        try fixture.write("{\"a\": 1}", to: "real/target.json")
        try manager.createSymbolicLink(
            atPath: fixture.folder.path + "/real/hop.json", withDestinationPath: "target.json")
        try manager.createSymbolicLink(atPath: fixture.file.path, withDestinationPath: "real/hop.json")
        let storage = try fixture.opened()
        try storage.append(batch(1, ["b": .integer(2)]), durability: .stable)
        #expect(try manager.destinationOfSymbolicLink(atPath: fixture.file.path) == "real/hop.json")
        #expect(try fixture.freshLoad() == intact(["a": .integer(1), "b": .integer(2)]))
        #expect(try fixture.names() == ["real", "settings.json"])
        #expect(try fixture.text(of: "real/target.json").contains("b"))
    }

    @Test("a symbolic link that leads nowhere gets its file and its folders") func danglingLink() throws {
        let fixture = try FileStorageFixture()
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: fixture.file.path, withDestinationPath: "missing/target.json")
        let storage = fixture.storage()
        #expect(try storage.load().outcome == .absent)
        try storage.append(batch(1, ["a": .integer(1)]), durability: .stable)
        #expect(try manager.destinationOfSymbolicLink(atPath: fixture.file.path) == "missing/target.json")
        #expect(try fixture.freshLoad() == intact(["a": .integer(1)]))
    }

    @Test("a value that the format can't spell is refused alone, and later batches are saved") func unsupported() throws
    {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .stable)
        let error = #expect(throws: StorageError.self) {
            try storage.append(batch(2, ["bad": .real(.nan), "b": .integer(2)]), durability: .stable)
        }
        #expect(error?.code == .unsupportedValue)
        try storage.append(batch(3, ["c": .integer(3)]), durability: .stable)
        #expect(try fixture.freshLoad() == intact(["a": .integer(1), "c": .integer(3)]))
    }

    @Test("nothing is written before a load, nor after closing") func phases() throws {
        let fixture = try FileStorageFixture()
        let storage = fixture.storage()
        let early = #expect(throws: StorageError.self) {
            try storage.append(batch(1, ["a": .integer(1)]), durability: .stable)
        }
        #expect(early?.code == .unreadable)
        _ = try storage.load()
        storage.close()
        let late = #expect(throws: StorageError.self) { try storage.checkpoint() }
        #expect(late?.code == .closed)
        #expect(try fixture.names().isEmpty)
    }

    @Test("a closed storage has no external changes") func closedHasNoChanges() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        storage.close()
        #expect(try storage.externalChanges(since: { SettingTree() }).isEmpty)
    }
}

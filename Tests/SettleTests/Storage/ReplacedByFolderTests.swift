import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// A folder with the name of the settings file or of its previous version: it is never destroyed, and prevents saving
/// only while it can't be set aside.
@Suite(.timeLimit(.minutes(10))) struct ReplacedByFolderTests {
    private let fixture: FileStorageFixture
    private static let previous = ".settings.json.previous"

    init() throws { fixture = try FileStorageFixture() }

    /// Replaces a file by a folder with another one in it.
    private static func replaceByFolder(_ file: URL) throws {
        try? FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file.appending(path: "inner"), withIntermediateDirectories: true)
    }

    private func isWhole(_ folder: String, in other: FileStorageFixture? = nil) -> Bool {
        let path = (other ?? fixture).folder.appending(path: folder).appending(path: "inner").path
        return FileManager.default.fileExists(atPath: path)
    }

    private func errors(_ storage: FileStorage) throws -> [String] {
        try storage.externalChanges().compactMap { change in
            guard case .unusable(let error) = change.content else { return nil }
            return error.description
        }
    }

    /// The message about what had a path and is not a file.
    private static func setAside(_ path: String) -> String {
        "A version of “\(path)” that can't be used was set aside as “settings.json.corrupt-1”. Changes that only that "
            + "version has are not in force."
    }

    @Test("A folder that gets the file's name during a replacement is set aside, and later replacements work")
    func duringReplacement() throws {
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        for number in 1...2 {
            // Other permissions than those of a previous version.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: fixture.file.path)
            fixture.calls.beforeNext(.exchange) { [file = fixture.file] in try? Self.replaceByFolder(file) }
            try storage.save(batch(2, ["a": .integer(Int64(10 * number))]))
            let aside = "settings.json.corrupt-\(number)"
            #expect(isWhole(aside))
            #expect(try fixture.permissions(of: aside) != 0o600, "its owner is to be able to enter it")
            #expect(
                try errors(storage) == [
                    "“\(fixture.file.path)” has been replaced by a folder, which was set aside as “\(aside)”. "
                        + "The last good values stay in force, and the file is written again with them."
                ])
            #expect(try fixture.freshLoad() == intact(["a": .integer(Int64(10 * number))]))
        }
        try storage.save(batch(3, ["a": .integer(30)]))
        #expect(try fixture.text().contains("30") && fixture.text(of: Self.previous).contains("20"))
    }

    @Test("A folder with the name of the previous version is set aside before the next replacement")
    func previousVersion() throws {
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        try Self.replaceByFolder(fixture.folder.appending(path: Self.previous))
        try storage.save(batch(2, ["a": .integer(2)]))
        #expect(isWhole("settings.json.corrupt-1"))
        let path = fixture.folder.appending(path: Self.previous).path
        #expect(try errors(storage) == [Self.setAside(path)])
        #expect(try fixture.text().contains("2") && fixture.text(of: Self.previous).contains("1"))
    }

    @Test("A folder named like the previous version after a crash is not reported as one in the file's place")
    func previousVersionAfterCrash() throws {
        let (storage, calls) = (try fixture.opened(), fixture.calls)
        try storage.save(batch(1, ["a": .integer(1)]))
        try storage.append(batch(2, ["a": .integer(2)]), durability: .synced)
        calls.beforeNext(.exchange) { calls.fail(call: 0, with: .error(.inputOutput), forGood: true) }
        #expect(throws: StorageError.self) { try storage.checkpoint() }
        calls.endProcess()
        let previous = fixture.folder.appending(path: Self.previous)
        try Self.replaceByFolder(previous)
        let next = FileStorage(at: fixture.file)
        _ = try next.load()
        try next.save(batch(3, ["b": .integer(3)]), over: ["a": .integer(2)])
        #expect(isWhole("settings.json.corrupt-1"))
        #expect(try errors(next) == [Self.setAside(previous.path)])
        #expect(try fixture.freshLoad() == intact(["a": .integer(2), "b": .integer(3)]))
    }

    @Test("A folder with the name of the previous version is set aside from the folder for state, too")
    func previousVersionApart() throws {
        let fixture = try FileStorageFixture(".config/app/settings.json")
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        let previous = ".local/state/app/\(Self.previous)"
        try Self.replaceByFolder(fixture.folder.appending(path: previous))
        try storage.save(batch(2, ["a": .integer(2)]))
        #expect(isWhole(".config/app/settings.json.corrupt-1", in: fixture))
        #expect(try errors(storage) == [Self.setAside(fixture.folder.appending(path: previous).path)])
        #expect(try fixture.text(of: previous).contains("1"))
    }

    @Test("A folder in the file's place that can't be set aside is never moved to the folder for state")
    func immovableApart() throws {
        let fixture = try FileStorageFixture(".config/app/settings.json")
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        fixture.calls.fail(everyCallAt: "settings.json.corrupt-1", with: .permissionDenied)
        fixture.calls.beforeNext(.exchange) { [file = fixture.file] in try? Self.replaceByFolder(file) }
        try storage.save(batch(2, ["a": .integer(2)]))
        let path = fixture.file.path
        let found = try errors(storage)
        #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("“\(path)” has been replaced by a folder.") })
        #expect(isWhole(".config/app/\(Self.previous)", in: fixture))
        fixture.calls.heal()
        try storage.save(batch(3, ["a": .integer(3)]))
        #expect(isWhole(".config/app/settings.json.corrupt-1", in: fixture))
        #expect(try fixture.text(of: ".local/state/app/\(Self.previous)").contains("2"))
    }

    @Test("A folder with the name of the previous version has no values: loading and erasing pass over it")
    func noVersion() throws {
        let folder = fixture.folder.appending(path: Self.previous)
        try fixture.write("{")
        try Self.replaceByFolder(folder)
        let storage = fixture.storage()
        guard case .recovered = try storage.load().outcome else {
            Issue.record("no damage was found")
            return
        }
        try storage.save(batch(1, ["b": .integer(1)]))
        #expect(isWhole("settings.json.corrupt-2"))
        try Self.replaceByFolder(folder)
        #expect(try !storage.hasTraces(of: "a"))
        #expect(try storage.checkpoint(SettingTree(["b": .integer(1)]), for: .erasing))
        #expect(isWhole(Self.previous))
        #expect(try fixture.freshLoad() == intact(["b": .integer(1)]))
    }

    @Test(
        "A folder in the file's place that can be set aside only later is reported again, with its new name",
        arguments: [(SystemCall.Kind.write, SystemError.noSpace), (.lock, .inputOutput)])
    func setAsideLater(kind: SystemCall.Kind, cause: SystemError) throws {
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        try Self.replaceByFolder(fixture.file)
        fixture.calls.fail(every: kind, with: cause)
        let path = fixture.file.path
        let found = try errors(storage)
        #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("“\(path)” has been replaced by a folder.") })
        #expect(isWhole("settings.json"))
        fixture.calls.heal()
        #expect(try errors(storage) == [Self.setAside(path)])
        #expect(isWhole("settings.json.corrupt-1"))
        #expect(try fixture.freshLoad() == intact(["a": .integer(1)]))
    }

    @Test("While a folder in the file's place can't be moved, an error says so, and once it is removed, saving works")
    func immovable() throws {
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        try Self.replaceByFolder(fixture.file)
        fixture.calls.fail(every: .rename, with: .permissionDenied)
        let path = fixture.file.path
        let found = try errors(storage)
        #expect(found.contains { $0.hasPrefix("“\(path)” has been replaced by a folder.") }, "\(found)")
        #expect(
            found.contains {
                $0.hasPrefix("“\(path)” was not saved: could not move a file to “\(path).corrupt-1”: ")
            }, "\(found)")
        #expect(isWhole("settings.json"))
        fixture.calls.heal()
        try FileManager.default.removeItem(at: fixture.file)
        for number in 2...3 {
            try storage.save(batch(2, ["a": .integer(Int64(10 * number))]))
            #expect(try fixture.text().contains("\(10 * number)"))
        }
        #expect(try fixture.freshLoad() == intact(["a": .integer(30)]))
    }
}

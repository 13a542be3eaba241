import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// The names of the folders around a settings file: a loss of power must not take them away from what was acknowledged.
@Suite(.timeLimit(.minutes(10))) struct FolderSyncTests {
    private let temporary: TemporaryFolder
    private let calls = FaultySystemCalls(synchronizes: false)

    init() throws { temporary = try TemporaryFolder() }

    private func opened(_ path: String) throws -> FileStorage {
        let storage = FileStorage(at: temporary.url.appending(path: path), calls: calls)
        _ = try storage.load()
        return storage
    }

    private func freshLoad(_ path: String) throws -> StorageContents {
        try FileStorage(at: temporary.url.appending(path: path)).load()
    }

    /// How often a folder was synced.
    private func syncs(of name: String) -> Int {
        calls.calls.count { $0.description == "synchronize \(name)" }
    }

    @Test(
        "A commit in new folders fails if the name of one may be lost, and the next one syncs them again",
        arguments: [SystemError.inputOutput, .noSpace, .quotaExceeded])
    func newFolders(cause: SystemError) throws {
        let storage = try opened("outer/inner/settings.json")
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        calls.fail(everyCallAt: "outer", with: cause)
        let error = #expect(throws: StorageError.self) {
            try storage.append(batch(2, ["b": .integer(2)]), durability: .synced)
        }
        #expect(error?.errno == cause.number)
        #expect(error?.description.contains("/outer”") == true, "\(String(describing: error))")
        calls.heal()
        calls.forget()
        try storage.append(batch(3, ["c": .integer(3)]), durability: .synced)
        #expect(syncs(of: "outer") == 1)
        #expect(
            try freshLoad("outer/inner/settings.json")
                == intact(["a": .integer(1), "b": .integer(2), "c": .integer(3)]))
    }

    @Test(
        "A folder around the file that can't be read or synced fails no commit",
        arguments: [SystemError.permissionDenied, .notPermitted, .invalidArgument, .notSupported])
    func foreignFolders(cause: SystemError) throws {
        let storage = try opened("outer/inner/settings.json")
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        calls.fail(everyCallAt: "outer", with: cause)
        try storage.append(batch(2, ["a": .integer(2)]), durability: .synced)
    }

    @Test("A file is written into a folder that was made again only once the folder's name is durable")
    func folderMadeAgain() throws {
        let storage = try opened(".config/app/settings.json")
        try storage.save(batch(1, ["a": .integer(1)]))
        try FileManager.default.removeItem(at: temporary.url.appending(path: ".config/app"))
        calls.fail(everyCallAt: ".config", with: .inputOutput)
        // The journal is in another folder, and has the values. But a file that is confirmed and then lost with its
        // folder counts as removed, with all its values.
        #expect(throws: StorageError.self) {
            _ = try storage.checkpoint(SettingTree(["a": .integer(1)]), for: .resting)
        }
        calls.heal()
        calls.forget()
        #expect(try storage.checkpoint(SettingTree(["a": .integer(1)]), for: .resting))
        let names = calls.calls.map(\.description)
        let sync = try #require(names.firstIndex(of: "synchronize .config"))
        let exchange = try #require(names.firstIndex(of: "exchange settings.json"))
        #expect(sync < exchange, "\(names)")
        #expect(try freshLoad(".config/app/settings.json") == intact(["a": .integer(1)]))
    }
}

import Foundation
import Settle
import SettleTesting
import Testing

/// Every system call of a save goes wrong in turn, in every way.
@Suite struct FileStorageFaultTests {
    enum Start: CaseIterable {
        /// Neither the file nor its folder exists.
        case nothing
        /// The file was there before.
        case loaded
        /// The file was saved by the same storage.
        case saved
        /// The same, without a sync.
        case unsynced
    }

    struct Trouble: Sendable, CustomTestStringConvertible {
        let fault: FaultySystemCalls.Fault
        let forGood: Bool
        var testDescription: String { "\(fault)\(forGood ? " for good" : "")" }

        static let all: [Trouble] = [
            .error(.noSpace), .error(.inputOutput), .error(.permissionDenied), .error(.interrupted), .short,
        ].flatMap { (fault: FaultySystemCalls.Fault) in
            [Trouble(fault: fault, forGood: false), Trouble(fault: fault, forGood: true)]
        }
    }

    private static let old: [String: SettingValue] = ["a": .integer(1), "z": .string("kept")]
    private static let second = batch(2, ["a": .integer(2), "b": .string(String(repeating: "long ", count: 50))])

    private func start(_ start: Start) throws -> (FileStorageFixture, FileStorage, old: [String: SettingValue]) {
        let fixture = try FileStorageFixture(start == .nothing ? "one/two/settings.json" : "settings.json")
        let values = Self.old.mapValues { SettingValue?.some($0) }
        switch start {
        case .nothing:
            return (fixture, try fixture.opened(), [:])
        case .loaded:
            let earlier = try fixture.opened()
            try earlier.append(batch(1, values), durability: .stable)
            return (fixture, try fixture.opened(), Self.old)
        case .saved, .unsynced:
            let storage = try fixture.opened()
            try storage.append(batch(1, values), durability: start == .saved ? .stable : .process)
            fixture.calls.forget()
            return (fixture, storage, Self.old)
        }
    }

    @Test(
        "a save in which any call goes wrong leaves the old or the new state, and the next save brings everything",
        arguments: Trouble.all, Start.allCases)
    func everyCall(trouble: Trouble, start kind: Start) throws {
        for (durability, nextIsEmpty) in [(StorageDurability.stable, false), (.stable, true), (.process, true)] {
            var call = 0
            while try wasHit(call: call, trouble, kind, durability, nextIsEmpty: nextIsEmpty) { call += 1 }
            #expect(trouble.fault == .short ? call >= 1 : call >= 6, "too few calls were tried: \(call)")
        }
    }

    /// Whether the save made as many calls.
    private func wasHit(
        call: Int, _ trouble: Trouble, _ kind: Start, _ durability: StorageDurability, nextIsEmpty: Bool
    ) throws -> Bool {
        let (fixture, storage, old) = try start(kind)
        let calls = fixture.calls
        let new = old.merging(Self.second.values.compactMapValues { $0 }) { $1 }
        calls.fail(call: call, with: trouble.fault, forGood: trouble.forGood)
        let error: StorageError?
        do {
            try storage.append(Self.second, durability: durability)
            error = nil
        } catch let failure {
            error = failure
        }
        let wasHit = calls.faultCount > 0
        let comment: Comment = "call \(call): \(calls.calls.last.map(String.init(describing:)) ?? ""), \(trouble)"
        #expect(calls.openFiles.isEmpty, comment)
        if trouble.fault == .short || (trouble.fault == .error(.interrupted) && !trouble.forGood) {
            #expect(error == nil, comment)
        }
        if !trouble.forGood { #expect(try temporaries(in: fixture) == [], comment) }

        let found = try fixture.freshLoad()
        let acceptable = [new] + (error == nil ? [] : [old])
        #expect(acceptable.contains(found.tree.root), comment)
        #expect(found.outcome == (found.tree.root.isEmpty ? .absent : .intact), comment)
        #expect(try temporaries(in: fixture) == [], comment)

        calls.heal()
        try storage.append(batch(3, nextIsEmpty ? [:] : ["c": .integer(3)]), durability: durability)
        let everything = nextIsEmpty ? new : new.merging(["c": .integer(3)]) { $1 }
        #expect(try fixture.freshLoad() == intact(everything), comment)
        #expect(try temporaries(in: fixture) == [], comment)
        return wasHit
    }

    private func temporaries(in fixture: FileStorageFixture) throws -> [String] {
        guard let found = FileManager.default.enumerator(atPath: fixture.folder.path) else { return [] }
        return found.compactMap { $0 as? String }.filter { $0.hasSuffix(".tmp") }
    }

    @Test("after a failed sync of the file it is written anew and never synced again") func failedFileSync() throws {
        let (fixture, storage, _) = try start(.saved)
        let names = try firstTemporary(of: fixture) {
            fixture.calls.fail(every: .synchronize, with: .inputOutput)
            let error = #expect(throws: StorageError.self) {
                try storage.append(Self.second, durability: .stable)
            }
            #expect(error?.code == .writeFailed)
            #expect(error?.errno == SystemError.inputOutput.number)
            #expect(error?.description.contains("It is as it was.") == true)
        }
        #expect(!fixture.callTexts.contains("rename settings.json"))
        fixture.calls.heal()
        let later = try firstTemporary(of: fixture) {
            try storage.append(batch(2, [:]), durability: .stable)
        }
        #expect(names != later)
        #expect(fixture.callTexts.prefix(4).last == "write temporary")
    }

    @Test("after a failed sync of the folder the next append does everything again, with an empty batch too")
    func failedFolderSync() throws {
        let (fixture, storage, _) = try start(.saved)
        fixture.calls.fail(every: .openFolder, with: .inputOutput)
        let error = #expect(throws: StorageError.self) { try storage.append(Self.second, durability: .stable) }
        #expect(error?.description.contains("It has the new values") == true)
        fixture.calls.heal()
        fixture.calls.forget()
        try storage.checkpoint()
        let folder = fixture.folder.lastPathComponent
        let important = fixture.callTexts.filter { !$0.contains("previous") && !$0.hasPrefix("lock") }
        #expect(
            important == [
                "create temporary", "setPermissions temporary", "write temporary", "synchronize temporary",
                "close temporary", "rename settings.json",
                "openFolder \(folder)", "synchronize \(folder)", "close \(folder)",
            ])
        fixture.calls.forget()
        try storage.checkpoint()
        #expect(fixture.calls.calls.isEmpty)
    }

    @Test("a checkpoint whose last sync failed is made again by the next one") func failedCheckpoint() throws {
        let (fixture, storage, _) = try start(.unsynced)
        fixture.calls.fail(every: .openFolder, with: .inputOutput)
        #expect(throws: StorageError.self) { try storage.checkpoint() }
        fixture.calls.heal()
        fixture.calls.forget()
        try storage.checkpoint()
        #expect(fixture.calls.calls.map(\.kind).count { $0 == .synchronize } == 2)
    }

    private func firstTemporary(of fixture: FileStorageFixture, _ body: () throws -> Void) throws -> String {
        fixture.calls.forget()
        try body()
        return try #require(fixture.calls.calls.first { $0.kind == .create }).path
    }

    @Test(
        "the error says why in a code and in a sentence",
        arguments: [
            (SystemError.noSpace, StorageError.Code.noSpace), (.quotaExceeded, .noSpace),
            (.permissionDenied, .permissionDenied), (.notPermitted, .permissionDenied),
            (.readOnlyFileSystem, .permissionDenied), (.inputOutput, .writeFailed),
        ])
    func codes(cause: SystemError, code: StorageError.Code) throws {
        let (fixture, storage, _) = try start(.saved)
        fixture.calls.fail(every: .write, with: cause)
        let error = #expect(throws: StorageError.self) { try storage.append(Self.second, durability: .process) }
        #expect(error?.code == code)
        #expect(error?.errno == cause.number)
        #expect(error?.description.hasPrefix("\"\(fixture.file.path)\" was not saved: could not write") == true)
        #expect(error?.description.contains(cause.description) == true)
    }

    @Test(
        "a folder that can't be synced on its file system is no failure",
        arguments: [
            SystemError.invalidArgument, .notSupported,
        ])
    func folderSyncUnsupported(cause: SystemError) throws {
        let (fixture, storage, _) = try start(.saved)
        fixture.calls.beforeNext(.openFolder) { [calls = fixture.calls] in calls.fail(every: .synchronize, with: cause)
        }
        try storage.append(Self.second, durability: .stable)
        fixture.calls.heal()
        fixture.calls.forget()
        try storage.checkpoint()
        #expect(fixture.calls.calls.isEmpty)
    }

    @Test("without hard links a save works, and keeps no previous version") func noHardLinks() throws {
        let (fixture, storage, _) = try start(.saved)
        fixture.calls.fail(every: .link, with: .notPermitted)
        try storage.append(Self.second, durability: .stable)
        #expect(try fixture.names() == ["settings.json"])
    }
}

import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Fails each system call of a save in turn, in every way.
@Suite(.timeLimit(.minutes(10))) struct FileStorageFaultTests {
    enum Start: CaseIterable {
        /// Neither the file nor its folder exists.
        case nothing
        /// Another program wrote the file.
        case loaded
        /// The storage itself saved the file.
        case saved
        /// The same, with a value that only the journal has.
        case journaled
    }

    enum Operation: CaseIterable {
        case append, syncedAppend, checkpoint, externalChanges
    }

    private static let old: SettingValue.Entries = ["a": .integer(1), "z": .string("kept")]
    private static let second = batch(2, ["a": .integer(2), "b": .string(String(repeating: "long ", count: 50))])

    private func start(_ start: Start) throws -> (FileStorageFixture, FileStorage, old: SettingValue.Entries) {
        let fixture = try FileStorageFixture(start == .nothing ? "one/two/settings.json" : "settings.json")
        let values = Self.old.mapValues { SettingValue?.some($0) }
        switch start {
        case .nothing:
            return (fixture, try fixture.opened(), [:])
        case .loaded:
            try fixture.write(String(decoding: FileFormat.json.encode(SettingTree(Self.old)), as: UTF8.self))
            return (fixture, try fixture.opened(), Self.old)
        case .saved, .journaled:
            let storage = try fixture.opened()
            try storage.save(batch(1, values))
            var root = Self.old
            if start == .journaled {
                try storage.append(batch(1, ["j": .integer(1)]), durability: .buffered)
                root["j"] = .integer(1)
            }
            fixture.calls.forget()
            return (fixture, storage, root)
        }
    }

    @Test(
        "An operation leaves the old or the new state, whichever call fails, and later ones store everything",
        arguments: CallTrouble.all)
    func everyCall(trouble: CallTrouble) throws {
        for kind in Start.allCases {
            for operation in Operation.allCases {
                var call = 0
                while try wasHit(call: call, trouble, kind, operation) { call += 1 }
                #expect(call >= 1, "too few calls were tried: \(call), \(kind), \(operation)")
            }
        }
    }

    /// Performs the operation on a storage that has `old`.
    private func run(
        _ operation: Operation, on storage: FileStorage, over old: SettingValue.Entries, isPrepared: Bool
    ) throws -> Bool {
        switch operation {
        case .append:
            try storage.append(Self.second, durability: .buffered)
        case .syncedAppend:
            try storage.append(Self.second, durability: .synced)
        case .checkpoint:
            var tree = SettingTree(old)
            tree.apply(Self.second.values)
            return try storage.checkpoint(tree, for: .settled)
        case .externalChanges:
            _ = try storage.externalChanges()
        }
        return true
    }

    /// Whether the operation made enough calls for the fault to occur.
    private func wasHit(call: Int, _ trouble: CallTrouble, _ kind: Start, _ operation: Operation) throws -> Bool {
        let (fixture, storage, old) = try start(kind)
        let calls = fixture.calls
        let new = SettingTree(storing: Self.second, over: old).root
        if operation == .checkpoint { try storage.append(Self.second, durability: .buffered) }
        if operation == .externalChanges {
            let other = FileStorage(at: fixture.file)
            _ = try other.load()
            try other.append(Self.second, durability: .buffered)
        }
        calls.fail(call: call, with: trouble.fault, forGood: trouble.forGood)
        let error: StorageError?
        do {
            _ = try run(operation, on: storage, over: old, isPrepared: true)
            error = nil
        } catch let failure {
            error = failure as? StorageError
        }
        let wasHit = calls.faultCount > 0
        let comment: Comment =
            "\(operation), call \(call): \(calls.calls.last.map(String.init(describing:)) ?? ""), \(trouble), \(kind)"
        #expect(calls.openFiles.count <= 1, comment)
        if trouble.fault == .short || (trouble.fault == .error(.interrupted) && !trouble.forGood) {
            #expect(error == nil, comment)
        }

        let found = try fixture.freshLoad()
        let acceptable =
            [new] + (error == nil || operation == .checkpoint || operation == .externalChanges ? [] : [old])
        #expect(acceptable.contains(found.tree.root), comment)
        #expect(found.outcome == (found.tree.root.isEmpty ? .absent : .intact), comment)

        calls.heal()
        // Like a store: appends the failed batch again, then asks for a checkpoint.
        if error != nil { try storage.append(Self.second, durability: .synced) }
        let third = batch(3, ["c": .integer(3)])
        try storage.append(third, durability: .synced)
        let everything = new.merging(["c": .integer(3)]) { $1 }
        #expect(try fixture.freshLoad() == intact(everything), comment)
        _ = try storage.externalChanges()
        #expect(try storage.checkpoint(SettingTree(everything), for: .resting), comment)
        let file = try FileFormat.json.decode(Array(Data(contentsOf: fixture.file)))
        #expect(file.root == everything, comment)
        #expect(try fixture.freshLoad() == intact(everything), comment)
        #expect(calls.openFiles.count == 1, comment)
        storage.close()
        #expect(calls.openFiles.isEmpty, comment)
        return wasHit
    }

    @Test("After a failed sync, a new file replaces the journal, which is never synced again")
    func failedSync() throws {
        let (fixture, storage, old) = try start(.saved)
        fixture.calls.fail(every: .synchronizeData, with: .inputOutput)
        let error = #expect(throws: StorageError.self) { try storage.append(Self.second, durability: .synced) }
        #expect(error?.code == .writeFailed)
        #expect(error?.errno == SystemError.inputOutput.number)
        fixture.calls.heal()
        fixture.calls.forget()
        try storage.append(batch(2, [:]), durability: .synced)
        expectReplacedJournal(in: fixture)
        #expect(try fixture.freshLoad().tree.root == SettingTree(storing: Self.second, over: old).root)
    }

    @Test("Where no new journal can be made, forgetting and erasing throw, and later saves succeed")
    func cannotReplaceJournal() throws {
        let (fixture, storage, old) = try start(.saved)
        // As in a folder in which nothing may be changed.
        fixture.calls.fail(every: .create, with: .permissionDenied)
        for _ in 0..<2 {
            #expect(throws: StorageError.self) { try storage.forgetHistory(of: "a") }
            #expect(throws: StorageError.self) { try storage.checkpoint(SettingTree(old), for: .erasing) }
        }
        try storage.append(Self.second, durability: .synced)
        let new = SettingTree(storing: Self.second, over: old).root
        #expect(try fixture.freshLoad().tree.root == new)
        fixture.calls.heal()
        #expect(try storage.checkpoint(SettingTree(new), for: .erasing))
        #expect(try fixture.freshLoad() == intact(new))
    }

    /// The journal was replaced by a new file that is stable, and nothing else was made or synced.
    private func expectReplacedJournal(
        in fixture: FileStorageFixture, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let important = fixture.callTexts.filter {
            $0.hasPrefix("create") || $0.hasPrefix("rename") || $0.hasPrefix("synchronize")
        }
        #expect(
            important == [
                "create temporary", "synchronize temporary", "rename .settings.json.journal",
                "synchronize \(fixture.folder.lastPathComponent)",
            ], sourceLocation: sourceLocation)
    }

    @Test("A checkpoint with nothing to write throws if its sync fails, and the next one replaces the journal")
    func failedSyncAtRest() throws {
        let (fixture, storage, old) = try start(.loaded)
        try storage.append(Self.second, durability: .buffered)
        var tree = SettingTree(old)
        tree.apply(Self.second.values)
        let other = FileStorage(at: fixture.file)
        _ = try other.load()
        #expect(try other.checkpoint(tree, for: .resting))
        _ = try storage.externalChanges()
        fixture.calls.fail(every: .synchronizeData, with: .inputOutput)
        #expect(throws: StorageError.self) { try storage.checkpoint(tree, for: .settled) }
        fixture.calls.heal()
        fixture.calls.forget()
        #expect(try storage.checkpoint(tree, for: .settled))
        expectReplacedJournal(in: fixture)
        #expect(try fixture.freshLoad() == intact(tree.root))
    }

    @Test("A checkpoint whose folder sync fails is not confirmed, and the next one syncs the folder again")
    func failedFolderSync() throws {
        let (fixture, storage, old) = try start(.saved)
        try storage.append(Self.second, durability: .buffered)
        var tree = SettingTree(old)
        tree.apply(Self.second.values)
        fixture.calls.fail(every: .openFolder, with: .inputOutput)
        let error = #expect(throws: StorageError.self) { try storage.checkpoint(tree, for: .settled) }
        #expect(error?.description.contains("The file has the new values") == true)
        fixture.calls.heal()
        fixture.calls.forget()
        #expect(try storage.checkpoint(tree, for: .settled))
        #expect(fixture.callTexts.contains("synchronize \(fixture.folder.lastPathComponent)"))
        #expect(try fixture.freshLoad() == intact(tree.root))
    }

    @Test(
        "A failed append gives its cause as a code and in its description",
        arguments: [
            (SystemError.noSpace, StorageError.Code.noSpace), (.quotaExceeded, .noSpace), (.fileTooLarge, .noSpace),
            (.permissionDenied, .permissionDenied), (.notPermitted, .permissionDenied),
            (.readOnlyFileSystem, .permissionDenied), (.inputOutput, .writeFailed),
        ])
    func codes(cause: SystemError, code: StorageError.Code) throws {
        let (fixture, storage, _) = try start(.saved)
        fixture.calls.fail(every: .write, with: cause)
        let error = #expect(throws: StorageError.self) { try storage.append(Self.second, durability: .buffered) }
        #expect(error?.code == code)
        #expect(error?.errno == cause.number)
        #expect(error?.description.hasPrefix("“\(fixture.file.path)” was not saved: could not write") == true)
        #expect(error?.description.contains(cause.description) == true)
    }

    @Test(
        "A file system that can't sync folders fails no save",
        arguments: [
            SystemError.invalidArgument, .notSupported,
        ])
    func folderSyncUnsupported(cause: SystemError) throws {
        let (fixture, storage, old) = try start(.saved)
        fixture.calls.beforeNext(.openFolder) { [calls = fixture.calls] in calls.fail(every: .synchronize, with: cause)
        }
        try storage.save(Self.second, over: old)
    }

    @Test(
        "Without an exchange, the previous version is kept by a hard link, and without both a save works",
        arguments: [SystemError.unimplemented, .invalidArgument, .notSupported, .notPermitted])
    func noExchange(cause: SystemError) throws {
        let (fixture, storage, old) = try start(.saved)
        fixture.calls.fail(every: .exchange, with: cause)
        try storage.save(Self.second, over: old)
        #expect(try fixture.names() == [".settings.json.journal", ".settings.json.previous", "settings.json"])
        fixture.calls.fail(every: .link, with: .notPermitted)
        try storage.save(Self.second, over: old)
        try storage.append(batch(3, ["a": .integer(30)]), durability: .buffered)
        _ = try storage.checkpoint(SettingTree(["a": .integer(30)]), for: .closing)
        #expect(try fixture.names() == [".settings.json.journal", "settings.json"])
        #expect(try fixture.text().contains("30"))
    }

    @Test("A file system without permissions fails no save", arguments: [SystemError.unimplemented, .notSupported])
    func noPermissions(cause: SystemError) throws {
        let (fixture, storage, old) = try start(.nothing)
        fixture.calls.fail(every: .setPermissions, with: cause)
        try storage.save(Self.second, over: old)
        #expect(try fixture.freshLoad().tree["b"] != nil)
    }

    @Test("Without locks, a single process can save", arguments: [SystemError.noLocks, .notSupported, .unimplemented])
    func noLocks(cause: SystemError) throws {
        let (fixture, storage, old) = try start(.saved)
        fixture.calls.fail(every: .lock, with: cause)
        try storage.save(Self.second, over: old)
        #expect(try fixture.freshLoad().tree["b"] != nil)
    }
}

import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Names reserved by file locks.
@Suite(.timeLimit(.minutes(10))) struct NamedFileLockTests {
    private static let lock = ".settings.json.default.lock"

    @Test("The lock file is empty, has mode 0600 whatever the umask, and stays") func file() throws {
        let fixture = try FileStorageFixture("new/settings.json", mask: 0o777)
        let storage = try fixture.opened()
        #expect(try storage.lock(named: "default"))
        #expect(try fixture.permissions(of: "new/" + Self.lock) == 0o600)
        #expect(try fixture.permissions(of: "new") == 0o700)
        #expect(try fixture.text(of: "new/" + Self.lock).isEmpty)
        #expect(fixture.calls.openFiles.count == 1)
        storage.unlock(named: "default")
        #expect(fixture.calls.openFiles.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path + "/new") == [Self.lock])
        #expect(try fixture.freshLoad() == StorageContents(outcome: .absent))
    }

    @Test("Whoever could read the file of a lock could hold it, so that is taken away") func couldReadFile() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        for name in [Self.lock, ".settings.json.journal"] {
            try fixture.write("", to: name)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o666], ofItemAtPath: fixture.folder.appending(path: name).path)
        }
        #expect(try storage.lock(named: "default"))
        try storage.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .buffered)
        #expect(try fixture.permissions(of: Self.lock) == 0o600)
        #expect(try fixture.permissions(of: ".settings.json.journal") == 0o600)
    }

    #if os(Linux)
        @Test("The process that holds a lock is named") func processHoldsLock() throws {
            let fixture = try FileStorageFixture()
            let other = FileStorage(at: fixture.file)
            _ = try other.load()
            let storage = try fixture.opened()
            #expect(storage.holder(ofLockNamed: "default") == nil)
            #expect(try other.lock(named: "default"))
            #expect(storage.holder(ofLockNamed: "default") == "process \(getpid())")
            other.unlock(named: "default")
            #expect(storage.holder(ofLockNamed: "default") == nil)
        }

        @Test("A save that finds the file locked for too long names the process that holds it")
        func saveFindsFile() throws {
            let fixture = try FileStorageFixture()
            let other = FileStorage(at: fixture.file)
            _ = try other.load()
            _ = try other.lockForTransaction()
            let storage = FileStorage(at: fixture.file, calls: fixture.calls, lockTimeout: LockTimeout(limit: .zero))
            _ = try storage.load()
            let error = #expect(throws: StorageError.self) {
                try storage.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .buffered)
            }
            #expect(error?.code == .locked)
            #expect(error?.description.contains("process \(getpid()) held its lock for too long") == true)
        }
    #endif

    @Test("A storage holds a name until it gives it up, closes, or its process ends") func exclusion() async throws {
        let fixture = try FileStorageFixture()
        let other = FaultySystemCalls()
        let (first, second) = (try fixture.opened(), FileStorage(at: fixture.file, calls: other))
        _ = try second.load()
        #expect(try second.lock(named: "default"))
        #expect(try !first.lock(named: "default"))
        #expect(try !second.lock(named: "default"))
        #expect(fixture.calls.openFiles.isEmpty)
        second.unlock(named: "default")
        #expect(try first.lock(named: "default"))
        first.close()
        #expect(try second.lock(named: "default"))
        let third = try fixture.opened()
        #expect(try !third.lock(named: "default"))
        other.endProcess()
        // A process that another test is starting may share the descriptors for a moment.
        try await eventually("the lock is free") { try third.lock(named: "default") }
    }

    @Test(
        "A lock file removed or replaced while it is being locked does not reserve the name",
        arguments: [true, false])
    func removed(isReplaced: Bool) throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        let lock = fixture.folder.appending(path: Self.lock)
        try fixture.write("", to: Self.lock)
        fixture.calls.beforeNext(.lock) {
            try? FileManager.default.removeItem(at: lock)
            if isReplaced { try? Data().write(to: lock) }
        }
        #expect(try !storage.lock(named: "default"))
        #expect(fixture.calls.openFiles.isEmpty)
        #expect(try storage.lock(named: "default"))
    }

    @Test(
        "A commit under a lock whose file was removed stores nothing, and the holder is told that it has ended",
        arguments: [false, true])
    func removedWhileHeld(isReplaced: Bool) async throws {
        let fixture = try FileStorageFixture()
        func open() async throws -> (SettingsStore, CounterSettings) {
            let store = try await SettingsStore.open(
                storage: fixture.storage(), configuration: .init(clock: ManualClock()))
            return (store, try await store.group(CounterSettings.self))
        }
        let (store, settings) = try await open()
        let (other, others) = try await open()
        var refusal: SettingsError?
        let loss = await #expect(throws: SettingsError.self) {
            try await store.withLock {
                try await settings.commit { settings.count = 1 }
                try FileManager.default.removeItem(at: fixture.folder.appending(path: Self.lock))
                if isReplaced { try await other.withLock { try await others.commit { others.count = 5 } } }
                do {
                    try await settings.commit { settings.count += 1 }
                } catch {
                    refusal = error as? SettingsError
                }
                // What is written without a promise is written as ever.
                settings.name = "later"
            }
        }
        #expect(loss?.code == .lockLost && refusal?.code == .lockLost)
        #expect(loss?.description.contains("“default”") == true)
        try await store.flush()
        try await other.flush()
        #expect(settings.count == (isReplaced ? 5 : 1) && settings.name == "later")
        #expect(try fixture.freshLoad().tree["count"] == .integer(isReplaced ? 5 : 1))
        // The next one holds it again.
        try await store.withLock { try await settings.commit { settings.count = 7 } }
        try await other.close()
        try await store.close()
        #expect(try fixture.freshLoad().tree["count"] == .integer(7))
    }

    @Test("A holder that commits nothing learns at the end that its lock's file was removed", arguments: [false, true])
    func removedWithoutCommit(throwsError: Bool) async throws {
        let fixture = try FileStorageFixture()
        let store = try await SettingsStore.open(
            storage: fixture.storage(), configuration: .init(clock: ManualClock()))
        let error = await #expect(throws: (any Error).self) {
            try await store.withLock {
                try FileManager.default.removeItem(at: fixture.folder.appending(path: Self.lock))
                if throwsError { throw TestFailure() }
            }
        }
        // An error of its own is the one that the caller gets.
        #expect(throwsError ? error is TestFailure : (error as? SettingsError)?.code == .lockLost)
        try await store.close()
    }

    @Test("A lock file created by another process at the same moment is used") func race() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        let lock = fixture.folder.appending(path: Self.lock)
        fixture.calls.beforeNext(.create) { try? Data().write(to: lock) }
        #expect(try storage.lock(named: "default"))
    }

    @Test(
        "On a file system without locks, a name is reserved within the process",
        arguments: [SystemError.noLocks, .notSupported, .unimplemented])
    func noLocks(cause: SystemError) throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        fixture.calls.fail(every: .lock, with: cause)
        #expect(try storage.lock(named: "default"))
        #expect(try !storage.lock(named: "default"))
    }

    @Test(
        "An error names the lock file that can't be created",
        arguments: [
            (SystemError.permissionDenied, StorageError.Code.permissionDenied),
            (.readOnlyFileSystem, .permissionDenied),
            (.noSpace, .noSpace), (.quotaExceeded, .noSpace), (.inputOutput, .writeFailed),
        ])
    func cannotMake(cause: SystemError, code: StorageError.Code) throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        fixture.calls.fail(every: .create, with: cause)
        let error = #expect(throws: StorageError.self) { try storage.lock(named: "default") }
        #expect(error?.code == code && error?.errno == cause.number)
        #expect(error?.description.contains(Self.lock) == true)
    }

    @Test("A symbolic link in place of the lock file is not followed") func symbolicLink() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try fixture.write("", to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: fixture.folder.appending(path: Self.lock).path, withDestinationPath: "target")
        #expect(throws: StorageError.self) { try storage.lock(named: "default") }
    }

    @Test(
        "If any system call fails, the name is either reserved or free, and no file stays open",
        arguments: CallTrouble.all)
    func everyCall(trouble: CallTrouble) throws {
        for name in ["settings.json", "new/settings.json"] { try reserve(name, with: trouble) }
    }

    private func reserve(_ name: String, with trouble: CallTrouble) throws {
        for isThere in [false, true] {
            var call = 0
            var wasHit = true
            while wasHit {
                let fixture = try FileStorageFixture(name)
                let storage = try fixture.opened()
                if isThere {
                    #expect(try storage.lock(named: "default"))
                    storage.unlock(named: "default")
                }
                let comment: Comment = "\(name), call \(call), \(trouble), is there: \(isThere)"
                fixture.calls.fail(call: call, with: trouble.fault, forGood: trouble.forGood)
                do {
                    let isReserved = try storage.lock(named: "default")
                    fixture.calls.heal()
                    // The name is free, so only a lock file that is no longer the current one can be in the way.
                    #expect(isReserved || fixture.calls.openFiles.isEmpty, comment)
                    storage.unlock(named: "default")
                } catch {
                    #expect(error.description.contains(Self.lock), comment)
                    fixture.calls.heal()
                }
                wasHit = fixture.calls.faultCount > 0
                #expect(fixture.calls.openFiles.isEmpty, comment)
                let other = try fixture.opened()
                #expect(try other.lock(named: "default"), comment)
                #expect(try !storage.lock(named: "default"), comment)
                other.unlock(named: "default")
                #expect(try storage.lock(named: "default"), comment)
                call += 1
            }
            #expect(trouble.fault == .short ? call >= 1 : call > 3)
        }
    }

    @Test("Giving up a name unlocks the file before closing it, because a forked process may share it")
    func unlocked() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        #expect(try storage.lock(named: "default"))
        fixture.calls.forget()
        storage.unlock(named: "default")
        #expect(fixture.callTexts == ["unlock \(Self.lock)", "close \(Self.lock)"])
    }

    @Test("A name becomes free even if giving it up fails", arguments: [SystemCall.Kind.unlock, .close])
    func failedGivingUp(kind: SystemCall.Kind) async throws {
        let fixture = try FileStorageFixture()
        let (first, second) = (try fixture.opened(), try fixture.opened())
        #expect(try first.lock(named: "default"))
        fixture.calls.fail(every: kind, with: .inputOutput)
        first.unlock(named: "default")
        fixture.calls.heal()
        // If unlocking fails, a process that another test is starting may hold the lock for a moment.
        try await eventually("the lock is free") { try second.lock(named: "default") }
    }

    @Test("A name that could form a path is rejected")
    func names() throws {
        let cases: [String] = ["", "/", "..", "a/b", "a.b", "a b", "é", "a\0"]
        for name in cases {
            let fixture = try FileStorageFixture()
            let storage = try fixture.opened()
            #expect(throws: StorageError.self, "\(name.debugDescription)") { try storage.lock(named: name) }
            #expect(throws: StorageError.self) { try storage.lock(named: String(repeating: "a", count: 65)) }
            #expect(try fixture.names().isEmpty)
            #expect(try storage.lock(named: String(repeating: "aZ09-_xy", count: 8)))
        }
    }

    @Test("A name can't be reserved before loading or after closing") func phases() throws {
        let fixture = try FileStorageFixture()
        let storage = fixture.storage()
        #expect(throws: StorageError.self) { try storage.lock(named: "default") }
        _ = try storage.load()
        storage.close()
        let error = #expect(throws: StorageError.self) { try storage.lock(named: "default") }
        #expect(error?.code == .closed)
        #expect(try fixture.names().isEmpty)
    }

    @Test("The lock file of a symbolic link stands beside the file that it leads to") func linkedFile() throws {
        let fixture = try FileStorageFixture("real/settings.json")
        try FileManager.default.createDirectory(
            at: fixture.folder.appending(path: "real"), withIntermediateDirectories: false)
        let link = fixture.folder.appending(path: "link.json")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "real/settings.json")
        let (first, second) = (try fixture.opened(), FileStorage(at: link))
        _ = try second.load()
        #expect(try first.lock(named: "default"))
        #expect(try !second.lock(named: "default"))
    }
}

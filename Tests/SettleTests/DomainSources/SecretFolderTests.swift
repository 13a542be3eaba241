import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// The folder in which a program keeps secrets.
@Suite(.timeLimit(.minutes(10))) struct SecretFolderTests {
    private let home: TemporaryFolder
    private let calls = FaultySystemCalls(synchronizes: false)

    init() throws {
        home = try TemporaryFolder()
    }

    private var url: URL { home.url.appending(path: "secrets") }
    private var path: FilePath { FilePath(url.path) }

    private func folder(_ calls: (any SystemCalls)? = nil) -> SecretFolder {
        SecretFolder(path, calls: calls ?? self.calls, watching: ManualFileWatching())
    }

    private func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    @Test("A secret is the text of its file, and is read as it was written") func texts() throws {
        let folder = folder()
        #expect(try folder.secret(forKey: "a.b") == nil && !FileManager.default.fileExists(atPath: url.path))
        try folder.setSecret(nil, forKey: "a.b")
        #expect(!FileManager.default.fileExists(atPath: url.path))
        for secret in ["", "x", "x\n", "\n", "x\r\n", "x\r", "x\n\n", "\u{1F511}"] {
            try folder.setSecret(secret, forKey: "a.b")
            #expect(try folder.secret(forKey: "a.b") == secret)
        }
        try folder.setSecret("hunter2", forKey: "a.b")
        #expect(try text(of: "a.b") == "hunter2" && names == ["a.b"])
        #expect(try calls.status(at: path.text).permissions == 0o700)
        #expect(try calls.status(at: path.appending("a.b").text).permissions == 0o600)
        #expect(folder.location(of: "a.b") == "“\(path)/a.b”")
        // As a person writes it.
        try Data("by hand\n".utf8).write(to: url.appending(path: "a.b"))
        #expect(try folder.secret(forKey: "a.b") == "by hand")
        try folder.setSecret(nil, forKey: "a.b")
        #expect(try names == [] && folder.secret(forKey: "a.b") == nil)
    }

    @Test("The permissions do not depend on the process's mask") func mask() throws {
        let masked = FaultySystemCalls(mask: 0o777, synchronizes: false)
        try folder(masked).setSecret("x", forKey: "token")
        #expect(try calls.status(at: path.text).permissions == 0o700)
        #expect(try calls.status(at: path.appending("token").text).permissions == 0o600)
    }

    @Test("A folder that others may enter is neither read nor written", arguments: [0o755, 0o750, 0o701])
    func openFolder(mode: Int) throws {
        try folder().setSecret("hunter2", forKey: "token")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        for act: () throws -> Void in [
            { _ = try folder().secret(forKey: "token") }, { try folder().setSecret("new", forKey: "token") },
            { try folder().setSecret(nil, forKey: "token") },
        ] {
            let error = #expect(throws: StorageError.self) { try act() }
            #expect(error?.description.contains("must belong to user") == true)
            #expect(error?.description.contains("hunter2") == false)
        }
        #expect(try text(of: "token") == "hunter2")
    }

    @Test("A link in the folder's place is refused, and a link in a secret's place is replaced") func links() throws {
        let other = home.url.appending(path: "other")
        try FileManager.default.createDirectory(
            at: other, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: other)
        #expect(throws: StorageError.self) { try folder().setSecret("x", forKey: "token") }
        try FileManager.default.removeItem(at: url)

        try folder().setSecret("x", forKey: "token")
        let target = home.url.appending(path: "target")
        try Data("outside".utf8).write(to: target)
        try FileManager.default.removeItem(at: url.appending(path: "token"))
        try FileManager.default.createSymbolicLink(
            at: url.appending(path: "token"), withDestinationURL: target)
        try folder().setSecret("hunter2", forKey: "token")
        #expect(try String(contentsOf: target, encoding: .utf8) == "outside")
        #expect(try calls.status(at: path.appending("token").text).kind == .file)
    }

    @Test(
        "A key that can't be the name of a file is refused",
        arguments: ["a/b", "a\0b", String(repeating: "k", count: 300)])
    func unusableKeys(text: String) throws {
        let key = try #require(SettingKey(text))
        let error = #expect(throws: StorageError.self) { try folder().setSecret("x", forKey: key) }
        #expect(error?.code == .unsupportedValue)
        #expect(throws: StorageError.self) { try folder().secret(forKey: key) }
    }

    @Test("A file that is not a text, or too large, is an error that shows nothing of it") func unreadable() throws {
        let folder = folder()
        try folder.setSecret("x", forKey: "token")
        let file = url.appending(path: "token")
        for data in [Data("hunter2".utf8 + [0xFF]), Data(repeating: 65, count: SecretsFolderSource.sizeLimit + 1)] {
            try data.write(to: file)
            let error = #expect(throws: StorageError.self) { try folder.secret(forKey: "token") }
            #expect(error?.description.contains("hunter2") == false && error?.description.contains("AAAAAAAA") == false)
        }
        let large = String(repeating: "A", count: SecretsFolderSource.sizeLimit + 1)
        let error = #expect(throws: StorageError.self) { try folder.setSecret(large, forKey: "token") }
        #expect(error?.description.contains("AAAAAAAA") == false)
    }

    @Test(
        "Whichever system call fails, the secret is the old one or the new one, and a later write succeeds",
        arguments: ["new", nil], [false, true])
    func faults(secret: String?, forGood: Bool) throws {
        var number = 0
        var failures = 0
        while true {
            calls.heal()
            try folder().setSecret("hunter2", forKey: "token")
            calls.fail(call: number, with: .error(.inputOutput), forGood: forGood)
            do {
                try folder().setSecret(secret, forKey: "token")
                let count = calls.faultCount
                calls.heal()
                #expect(try folder().secret(forKey: "token") == secret, "call \(number)")
                if count == 0 { break }
            } catch {
                failures += 1
                #expect(!error.description.contains("hunter2") && error.description.contains("secrets"), "\(error)")
                calls.heal()
                let found = try folder().secret(forKey: "token")
                #expect(found == "hunter2" || found == secret, "call \(number)")
            }
            try folder().setSecret("later", forKey: "token")
            #expect(try folder().secret(forKey: "token") == "later" && names == ["token"], "call \(number)")
            number += 1
        }
        #expect(failures >= 3)
        #expect(calls.openFiles == [])
    }

    @Test("The first write of each process syncs the name of the folder, whoever has made it") func folderName() throws
    {
        try folder().setSecret("old", forKey: "token")
        let (next, parent) = (folder(), path.folder)
        calls.fail(everyCallAt: home.url.lastPathComponent, with: .inputOutput)
        let error = #expect(throws: StorageError.self) { try next.setSecret("new", forKey: "token") }
        #expect(error?.description.contains(path.text) == true)
        #expect(try next.secret(forKey: "token") == "old")
        calls.heal()
        for _ in 1...2 { try next.setSecret("new", forKey: "token") }
        calls.forget()
        try folder().setSecret("newer", forKey: "token")
        let synced = calls.calls.filter { $0.kind == .synchronize && $0.path == parent.text }
        #expect(synced.count == 1)
        calls.forget()
        try next.setSecret("newest", forKey: "token")
        #expect(!calls.calls.contains { $0.path == parent.text })
    }

    @Test("The folders around it that may not be read are left to others") func unreadableParents() throws {
        calls.fail(everyCallAt: home.url.lastPathComponent, with: .permissionDenied)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try folder().setSecret("x", forKey: "token")
        #expect(try text(of: "token") == "x")
    }

    @Test("What a writer left behind when it was killed is removed by the next write of that secret") func abandoned()
        throws
    {
        try folder().setSecret("old", forKey: "token")
        let left = FileNames(path.appending("token")).newTemporary()
        try Data("hunter2".utf8).write(to: URL(filePath: left.text))
        try Data("hunter2".utf8).write(to: url.appending(path: ".other"))
        #expect(try folder().secret(forKey: "token") == "old")
        try folder().setSecret("new", forKey: "token")
        #expect(try names == [".other", "token"])
    }

    @Test("All names in the folder are watched until it is closed") func watching() async throws {
        let watching = ManualFileWatching()
        let folder = SecretFolder(path, calls: calls, watching: watching)
        let changes = LockedValue(0)
        folder.watch { changes.withLock { $0 += 1 } }
        #expect(watching.places == [path: ["."]])
        watching.tell([.places])
        #expect(changes.withLock { $0 } == 1)
        await folder.close()
        #expect(watching.places.isEmpty)
        folder.watch {}
        #expect(watching.places.isEmpty)
    }
}

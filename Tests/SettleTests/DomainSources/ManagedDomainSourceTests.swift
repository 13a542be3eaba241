import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct ManagedDomainSourceTests {
    private let disk = SimulatedDisk()
    private let watching = ManualFileWatching()
    private let folder = "/etc/settle/managed"
    private var file: String { folder + "/app.json" }

    init() throws {
        disk.makeStableFolder(folder)
        for path in ["/", "/etc", "/etc/settle", folder] { try disk.setPermissions(at: path, to: 0o755) }
    }

    private func source(user: UInt32? = nil, _ folder: String? = nil) -> ManagedDomainSource {
        ManagedDomainSource(
            "app", in: FilePath(folder ?? self.folder), trustedUser: user, calls: disk, watching: watching)
    }

    private func write(_ text: String, to path: String? = nil, mode: UInt16 = 0o644, user: UInt32 = 0) throws {
        let path = path ?? file
        try? disk.removeFile(path)
        let descriptor = try disk.openFile(path, .createNew(permissions: mode))
        let bytes = Array(text.utf8)
        _ = try bytes.withUnsafeBytes { (bytes) throws(SystemError) in
            try disk.writeBytes(descriptor, at: 0, from: bytes)
        }
        try disk.setOwner(of: descriptor, toUser: user, group: 0)
        try disk.closeFile(descriptor)
    }

    private func setOwner(of path: String, to user: UInt32) throws {
        let descriptor = try disk.openFile(path, .folder)
        try disk.setOwner(of: descriptor, toUser: user, group: 0)
        try disk.closeFile(descriptor)
    }

    /// The problem of a domain that is not used.
    private func problem(user: UInt32? = nil) throws -> String {
        let contents = try source(user: user).load()
        #expect(contents.tree.root.isEmpty)
        #expect(contents.problems.count == 1)
        #expect(disk.openFileCount == 0)
        return contents.problems.first ?? ""
    }

    @Test("What root has written is used, in either format") func trusted() throws {
        #expect(try source().load() == DomainContents())
        try write("{\"a\": 1}")
        #expect(try source().load() == DomainContents(SettingTree(["a": .integer(1)])))
        try disk.removeFile(file)
        let bytes = try FileFormat.propertyListXML.encode(SettingTree(["a": .integer(2)]))
        try write(String(decoding: bytes, as: UTF8.self), to: folder + "/app.plist")
        #expect(try source().load() == DomainContents(SettingTree(["a": .integer(2)])))
        #expect(disk.openFileCount == 0)
    }

    @Test("A missing folder is an empty domain") func missing() throws {
        #expect(try source("/etc/settle/missing/folder").load() == DomainContents())
        #expect(disk.openFileCount == 0)
    }

    @Test("A file of another owner, or that others may write, is a problem and not used") func untrustedFile() throws {
        try write("{\"a\": 1}", user: 1000)
        let owner = try problem()
        for part in [file, "user 1000", "mode 644", "root"] { #expect(owner.contains(part), "\(owner)") }
        for mode: UInt16 in [0o664, 0o646, 0o666] {
            try write("{\"a\": 1}", mode: mode)
            #expect(try problem().contains("mode \(String(mode, radix: 8))"))
        }
    }

    @Test("So is one below a folder of another owner, or that others may write") func untrustedFolder() throws {
        try write("{\"a\": 1}")
        for path in ["/", "/etc", "/etc/settle", folder] {
            // The lower nine bits of /tmp, whose sticky bit does not help.
            for mode: UInt16 in [0o777, 0o775] {
                try disk.setPermissions(at: path, to: mode)
                let problem = try problem()
                #expect(problem.contains("“\(path)”") && problem.contains(file), "\(problem)")
            }
            try disk.setPermissions(at: path, to: 0o755)
            try setOwner(of: path, to: 1000)
            #expect(try problem().contains("“\(path)” belongs to user 1000"))
            try setOwner(of: path, to: 0)
        }
        #expect(try source().load().problems == [])
    }

    @Test("A folder that is not trusted is no problem while it has no file for the program") func otherPrograms() throws
    {
        try disk.setPermissions(at: folder, to: 0o777)
        try write("{\"a\": 1}", to: folder + "/other.json")
        #expect(try source().load() == DomainContents())
    }

    @Test("A link is not followed, wherever it is") func links() throws {
        try write("{\"a\": 1}", to: "/etc/settle/real.json")
        try disk.makeSymbolicLink(file, to: "../real.json")
        #expect(try problem().contains("“\(file)” is a link"))
        try disk.makeSymbolicLink("/link", to: "/etc/settle")
        let contents = try source("/link").load()
        #expect(contents == DomainContents())
        try write("{\"a\": 1}", to: "/etc/settle/app.json")
        let found = try source("/link").load()
        #expect(found.tree.root.isEmpty)
        #expect(found.problems.first?.contains("“/link” is a link") == true)
        #expect(disk.openFileCount == 0)
    }

    @Test("In a folder that was chosen explicitly the user may own file and folders, others may not")
    func explicitFolder() throws {
        try write("{\"a\": 1}", user: 1000)
        try setOwner(of: folder, to: 1000)
        #expect(try source(user: 1000).load().tree["a"] == .integer(1))
        let problem = try problem(user: 1001)
        #expect(problem.contains("root or user 1001"), "\(problem)")
        try write("{\"a\": 1}", user: 0)
        #expect(try source(user: 1000).load().tree["a"] == .integer(1))
    }

    @Test("A file that can't be understood throws, with the line, and a store must not open") func unparsable() throws {
        #expect(source().isRequired)
        try write("{\n\"a\" 1}")
        let error = #expect(throws: StorageError.self) { try source().load() }
        #expect(error?.description.contains("“\(file)”") == true)
        #expect(error?.description.contains("Line 2") == true)
        try write("")
        #expect(throws: StorageError.self) { try source().load() }
        #expect(disk.openFileCount == 0)
    }

    @Test("A file of each name throws: nobody can tell which one is meant") func both() throws {
        try write("{}")
        try write("{}", to: folder + "/app.plist")
        let error = #expect(throws: StorageError.self) { try source().load() }
        #expect(error?.description.contains("app.json") == true && error?.description.contains("app.plist") == true)
    }

    @Test("What the process may not read throws") func unreadable() throws {
        try write("{}")
        let calls = FaultySystemCalls(disk)
        calls.fail(every: .open, with: .permissionDenied)
        let source = ManagedDomainSource(
            "app", in: FilePath(folder), trustedUser: nil, calls: calls, watching: watching)
        let error = #expect(throws: StorageError.self) { try source.load() }
        #expect(error?.description.contains(file) == true)
        #expect(calls.openFiles == [])
    }

    @Test(
        "A folder that may not be looked into is a problem", arguments: [SystemError.permissionDenied, .notPermitted])
    func denied(error: SystemError) throws {
        try write("{}")
        let calls = FaultySystemCalls(disk)
        calls.fail(every: .openFolder, with: error)
        let source = ManagedDomainSource(
            "app", in: FilePath(folder), trustedUser: nil, calls: calls, watching: watching)
        let contents = try source.load()
        #expect(contents.tree.root.isEmpty && contents.problems.count == 1)
        #expect(calls.openFiles == [])
        calls.fail(every: .openFolder, with: .inputOutput)
        #expect(throws: StorageError.self) { try source.load() }
    }

    @Test("What is put in the place of a folder or a file while they are opened is not used") func races() throws {
        // The folder is replaced by a link after it was opened; the file by one of the user after it was examined.
        try write("{\"a\": 1}")
        try write("{\"a\": 666}", to: "/etc/evil.json", user: 1000)
        let calls = FaultySystemCalls(disk)
        calls.beforeNext(.read) { [disk, file] in
            // The open file is read, not the one that has its name by now.
            try? disk.removeFile(file)
            try? disk.linkFile("/etc/evil.json", to: file)
        }
        let source = ManagedDomainSource(
            "app", in: FilePath(folder), trustedUser: nil, calls: calls, watching: watching)
        #expect(try source.load().tree["a"] == .integer(1))
        #expect(try source.load().tree.root.isEmpty)
    }

    @Test("A name that leads out of the folder is refused", arguments: ["", "../app", "a/b", "a\0b"])
    func names(id: String) {
        let source = ManagedDomainSource(
            id, in: FilePath(folder), trustedUser: nil, calls: disk, watching: watching)
        #expect(throws: StorageError.self) { try source.load() }
    }

    @Test("Changes of either file are reported until the source is closed") func watched() async throws {
        let source = source()
        _ = try source.load()
        let changes = ReportedChanges(of: source)
        #expect(changes.count == 1)
        #expect(watching.places == [FilePath(folder): ["app.json", "app.plist"]])
        try write("{\"a\": 1}")
        watching.tell(FileEvents(.replaced, files: [FilePath(file)]))
        #expect(changes.count == 2)
        try await changes.load { $0["a"] == .integer(1) }
        #expect(source.place(of: "a") == "“\(file)”, line 1")
        await source.close()
        watching.tell(FileEvents(.replaced, files: [FilePath(file)]))
        #expect(changes.count == 2)
        #expect(watching.places == [:])
    }

    @Test("A real file in a folder that others may write is not used, and one of the user is where the way is trusted")
    func realFolder() throws {
        try withTemporaryFolder { folder in
            try Data("{\"a\": 1}".utf8).write(to: folder.appending(path: "app.json"))
            let source = ManagedDomainSource("app", in: FilePath(folder.path), isExplicit: true)
            let contents = try source.load()
            // Whether the system's folder for temporary files is trusted depends on the system.
            #expect(contents.tree.root.isEmpty == (contents.problems.count == 1))
            let calls = POSIXSystemCalls()
            try calls.setPermissions(at: folder.path, to: 0o777)
            let untrusted = try source.load()
            #expect(untrusted.tree.root.isEmpty && untrusted.problems.count == 1)
        }
    }
}

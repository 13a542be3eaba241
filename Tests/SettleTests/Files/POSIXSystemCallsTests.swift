import Foundation
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct POSIXSystemCallsTests {
    private let calls = POSIXSystemCalls()

    @Test("A failed call throws the operating system's error") func errors() throws {
        let folder = try TemporaryFolder()
        let missing = folder.url.appending(path: "missing").path
        #expect(throws: SystemError.notFound) { try calls.openFile(missing, .read) }
        #expect(throws: SystemError.notFound) { try calls.status(at: missing) }
        #expect(throws: SystemError.notFound) { try calls.setPermissions(at: missing, to: 0o600) }
        #expect(throws: SystemError.notFound) { try calls.renameFile(missing, to: missing + "2") }
        #expect(throws: SystemError.notFound) { try calls.linkFile(missing, to: missing + "2") }
        #expect(throws: SystemError.notFound) { try calls.removeFile(missing) }
        #expect(throws: SystemError.notFound) { try calls.makeFolder(missing + "/inner", permissions: 0o700) }
        #expect(throws: SystemError.notFound) { try calls.namesInFolder(missing) }
        #expect(throws: SystemError.notFound) { try calls.linkTarget(missing) }
        #expect(throws: SystemError.invalidArgument) { try calls.linkTarget(folder.url.path) }
        #expect(throws: SystemError.alreadyExists) { try calls.makeFolder(folder.url.path, permissions: 0o700) }
        let none = FileDescriptor(-1)
        var byte: UInt8 = 0
        #expect(throws: SystemError.self) {
            try withUnsafeMutableBytes(of: &byte) { try calls.readBytes(none, into: $0) }
        }
        #expect(throws: SystemError.self) {
            try withUnsafeBytes(of: byte) { try calls.writeBytes(none, at: 0, from: $0) }
        }
        #expect(throws: SystemError.self) { try calls.synchronize(none) }
        #expect(throws: SystemError.self) { try calls.closeFile(none) }
        #expect(throws: SystemError.self) { try calls.lockFile(none) }
        #expect(throws: SystemError.self) { try calls.status(of: none) }
        #expect(throws: SystemError.self) { try calls.setPermissions(of: none, to: 0o600) }
    }

    @Test("Permissions are not those of what a link leads to") func permissionsOfLink() throws {
        let folder = try TemporaryFolder()
        let (target, link) = (folder.url.appending(path: "target").path, folder.url.appending(path: "link").path)
        try calls.makeFolder(target, permissions: 0o750)
        try calls.setPermissions(at: target, to: 0o710)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        _ = try? calls.setPermissions(at: link, to: 0o700)
        #expect(try calls.status(at: target).permissions == 0o710)
    }

    #if os(Linux)
        @Test("A link whose target is not UTF-8 leads to an error, and not to a missing file")
        func targetIsNotText() throws {
            let folder = try TemporaryFolder()
            let link = folder.url.appending(path: "settings.json")
            // A name in Latin-1.
            let target = Array("caf".utf8) + [0xE9, 0]
            let result = target.withUnsafeBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map { symlink($0, link.path) } }
            }
            #expect(result == 0)
            #expect(throws: SystemError.notSupported) { try calls.linkTarget(link.path) }
            let error = #expect(throws: StorageError.self) { try FileStorage(at: link).load() }
            #expect(error?.code == .unreadable)
            #expect(error?.description.contains("\(link.path)”: its target is not UTF-8 text") == true)
        }
    #endif

    @Test("EOPNOTSUPP and ENOTSUP are the same error") func notSupported() {
        // Apple's platforms have 45 and 102, Linux has 95 for both.
        #expect(SystemError(EOPNOTSUPP) == .notSupported && SystemError(ENOTSUP) == .notSupported)
    }

    @Test("A written file reads back, and can't be created a second time") func newFile() throws {
        let folder = try TemporaryFolder()
        let path = FilePath(folder.url.appending(path: "file").path)
        let operations = FileOperations(calls)
        let file = try operations.open(path, .createNew(permissions: 0o600))
        try operations.write(Array("contents".utf8), to: file, at: path)
        try operations.synchronize(file, at: path)
        try operations.close(file, at: path)
        #expect(throws: FileError.self) { try operations.open(path, .createNew(permissions: 0o600)) }
        let again = try operations.open(path, .read)
        defer { try? operations.close(again, at: path) }
        #expect(try operations.readAll(again, at: path, limit: 100) == Array("contents".utf8))
        let status = try operations.status(of: again, at: path)
        #expect(status.kind == .file)
        #expect(status.size == 8)
        #expect(status.permissions == 0o600)
        #expect(try operations.status(at: path).identity == status.identity)
    }

    @Test("A locked file can't be locked again until it is closed") func locks() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "file").path
        let first = try calls.openFile(path, .createNew(permissions: 0o600))
        try calls.lockFile(first)
        let second = try calls.openFile(path, .read)
        #expect(throws: SystemError.wouldBlock) { try calls.lockFile(second) }
        try calls.closeFile(first)
        try calls.lockFile(second)
        try calls.closeFile(second)
    }

    @Test("A folder's names do not include the dot entries") func names() throws {
        let folder = try TemporaryFolder()
        for name in ["a", ".b", "ç"] { try Data().write(to: folder.url.appending(path: name)) }
        #expect(try calls.namesInFolder(folder.url.path).sorted() == [".b", "a", "ç"])
    }

    @Test("A status distinguishes the kinds of files and does not follow a link") func kinds() throws {
        let folder = try TemporaryFolder()
        let link = folder.url.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "some/where")
        #expect(try calls.status(at: link).kind == .symbolicLink)
        #expect(try calls.linkTarget(link) == "some/where")
        #expect(try calls.status(at: folder.url.path).kind == .folder)
        #expect(try calls.status(at: "/dev/null").kind == .device)
    }
}

import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct FileOperationsTests {
    private let calls = FaultySystemCalls()
    private var operations: FileOperations { FileOperations(calls) }

    private func path(in folder: TemporaryFolder, _ name: String = "file") -> FilePath {
        FilePath(folder.url.appending(path: name).path)
    }

    @Test("An interrupted call is retried, but not forever") func interrupted() throws {
        let folder = try TemporaryFolder()
        calls.fail(call: 0, with: .error(.interrupted), forGood: false)
        let file = try operations.open(path(in: folder), .createNew(permissions: 0o600))
        #expect(calls.calls.map(\.kind) == [.create, .create])
        calls.fail(call: 0, with: .error(.interrupted), forGood: true)
        let error = #expect(throws: FileError.self) {
            try operations.write([1], to: file, at: path(in: folder))
        }
        #expect(error?.cause == .interrupted)
        calls.heal()
        try operations.close(file, at: path(in: folder))
    }

    @Test("An interrupted close is not retried") func interruptedClose() throws {
        let folder = try TemporaryFolder()
        let file = try operations.open(path(in: folder), .createNew(permissions: 0o600))
        calls.forget()
        calls.fail(call: 0, with: .error(.interrupted), forGood: false)
        try operations.close(file, at: path(in: folder))
        #expect(calls.calls.map(\.kind) == [.close])
    }

    @Test("Short reads and writes are continued") func short() throws {
        let folder = try TemporaryFolder()
        let path = path(in: folder)
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let file = try operations.open(path, .createNew(permissions: 0o600))
        calls.fail(call: 0, with: .short, forGood: true)
        try operations.write(bytes, to: file, at: path)
        try operations.close(file, at: path)
        #expect(calls.faultCount > 10)
        let again = try operations.open(path, .read)
        #expect(try operations.readAll(again, at: path, limit: .max - 1) == bytes)
        try operations.close(again, at: path)
    }

    @Test("A read stops soon after its limit") func limit() throws {
        let folder = try TemporaryFolder()
        try Data(repeating: 7, count: 1 << 20).write(to: folder.url.appending(path: "file"))
        let path = path(in: folder)
        let file = try operations.open(path, .read)
        defer { try? operations.close(file, at: path) }
        let count = try operations.readAll(file, at: path, limit: 1_000).count
        #expect(count > 1_000 && count <= 1_000 + 64 << 10)
    }

    @Test("Missing folders are created for the user alone, and existing ones are left alone")
    func folders() throws {
        let folder = try TemporaryFolder()
        let path = FilePath(folder.url.withoutTrailingSlash).appending("a").appending("b").appending("c")
        try operations.makeFolders(path)
        for made in [path, path.folder, path.folder.folder] {
            #expect(try operations.status(at: made).permissions == 0o700)
        }
        try operations.setPermissions(at: path, to: 0o750)
        try operations.makeFolders(path)
        #expect(try operations.status(at: path).permissions == 0o750)
    }

    @Test("An error names the action, the file and the cause") func sentence() {
        let error = #expect(throws: FileError.self) { try operations.remove(FilePath("/nowhere/at/all")) }
        #expect(error?.description == "could not remove “/nowhere/at/all”: \(SystemError.notFound)")
        #expect(SystemError.notFound.description.hasPrefix("No such file"))
    }
}

extension URL {
    fileprivate var withoutTrailingSlash: String { FilePath(path).withoutTrailingSlashes.text }
}

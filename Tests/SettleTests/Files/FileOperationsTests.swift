import Foundation
import Settle
import SettleTesting
import Testing

@Suite struct FileOperationsTests {
    private let calls = FaultySystemCalls()
    private var operations: FileOperations { FileOperations(calls) }

    private func path(in folder: TemporaryFolder, _ name: String = "file") -> FilePath {
        FilePath(folder.url.appending(path: name).path)
    }

    @Test("an interrupted call is made again, but not for ever") func interrupted() throws {
        let folder = try TemporaryFolder()
        calls.fail(call: 0, with: .error(.interrupted), forGood: false)
        let file = try operations.open(path(in: folder), .createNew(permissions: 0o600))
        #expect(calls.calls.map(\.kind) == [.create, .create])
        calls.fail(call: 0, with: .error(.interrupted), forGood: true)
        let error = #expect(throws: FileError.self) {
            try operations.writeAll([1], to: file, at: path(in: folder))
        }
        #expect(error?.cause == .interrupted)
        calls.heal()
        try operations.close(file, at: path(in: folder))
    }

    @Test("an interrupted close is not made again") func interruptedClose() throws {
        let folder = try TemporaryFolder()
        let file = try operations.open(path(in: folder), .createNew(permissions: 0o600))
        calls.forget()
        calls.fail(call: 0, with: .error(.interrupted), forGood: false)
        try operations.close(file, at: path(in: folder))
        #expect(calls.calls.map(\.kind) == [.close])
    }

    @Test("short reads and writes are continued") func short() throws {
        let folder = try TemporaryFolder()
        let path = path(in: folder)
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let file = try operations.open(path, .createNew(permissions: 0o600))
        calls.fail(call: 0, with: .short, forGood: true)
        try operations.writeAll(bytes, to: file, at: path)
        try operations.close(file, at: path)
        #expect(calls.faultCount > 10)
        let again = try operations.open(path, .read)
        #expect(try operations.readAll(again, at: path, limit: .max - 1) == bytes)
        try operations.close(again, at: path)
    }

    @Test("a read stops soon after its limit") func limit() throws {
        let folder = try TemporaryFolder()
        try Data(repeating: 7, count: 1 << 20).write(to: folder.url.appending(path: "file"))
        let path = path(in: folder)
        let file = try operations.open(path, .read)
        defer { try? operations.close(file, at: path) }
        let count = try operations.readAll(file, at: path, limit: 1_000).count
        #expect(count > 1_000 && count <= 1_000 + 64 << 10)
    }

    @Test("folders are made from the outside in, and the ones around them are named") func folders() throws {
        let folder = try TemporaryFolder()
        let root = FilePath(folder.url.withoutTrailingSlash)
        var made: [FilePath] = []
        try operations.makeFolders(root.appending("a").appending("b").appending("c"), made: &made)
        #expect(made == [root, root.appending("a"), root.appending("a").appending("b")])
        made = []
        try operations.makeFolders(root.appending("a").appending("b").appending("c"), made: &made)
        #expect(made.isEmpty)
    }

    @Test("the error names the action, the file and the cause") func sentence() {
        let error = #expect(throws: FileError.self) { try operations.remove(FilePath("/nowhere/at/all")) }
        #expect(error?.description == "could not remove \"/nowhere/at/all\": \(SystemError.notFound)")
        #expect(SystemError.notFound.description.hasPrefix("No such file"))
    }
}

extension URL {
    fileprivate var withoutTrailingSlash: String { FilePath(path).withoutTrailingSlashes.text }
}

import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct FileReadingTests {
    private let calls = FaultySystemCalls()
    private var operations: FileOperations { FileOperations(calls) }

    /// Longer than the parts that are compared.
    private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    /// Reads a file whose contents were known under another name.
    private func read(
        _ others: [UInt8], in folder: TemporaryFolder
    ) throws -> (found: FileReading?, known: FileReading) {
        let (one, other) = (folder.url.appending(path: "one"), folder.url.appending(path: "other"))
        try Data(Self.bytes).write(to: one)
        try Data(others).write(to: other)
        let known = try #require(try operations.read(FilePath(one)))
        return (try operations.read(FilePath(other), orKnown: known), known)
    }

    @Test("A file with the known bytes is the known version") func fileKnownBytes() throws {
        let folder = try TemporaryFolder()
        let (found, known) = try read(Self.bytes, in: folder)
        #expect(found?.version == known.version)
        #expect(found?.bytes == Self.bytes)
        #expect(found?.status.identity != known.status.identity)
    }

    @Test("One other byte makes another version", arguments: [0, 65_535, 65_536, 199_999]) func otherByte(offset: Int)
        throws
    {
        let folder = try TemporaryFolder()
        var others = Self.bytes
        others[offset] ^= 1
        let (found, known) = try read(others, in: folder)
        #expect(found?.bytes == others)
        #expect(found?.version == FileVersion(of: others))
        #expect(found?.version != known.version)
    }

    @Test("A shorter file is another version", arguments: [0, 65_536, 131_072, 199_999]) func shorter(count: Int) throws
    {
        let folder = try TemporaryFolder()
        let others = Array(Self.bytes[..<count])
        let found = try read(others, in: folder).found
        #expect(found?.bytes == others)
        #expect(found?.version == FileVersion(of: others))
    }

    @Test("The end of a small file takes one call") func endSmallFile() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one")
        try Data(Self.bytes[..<500]).write(to: file)
        let found = try operations.read(FilePath(file))
        #expect(found?.bytes == Array(Self.bytes[..<500]))
        #expect(calls.calls.count { $0.kind == .read } == 1)
    }

    @Test("A missing file takes one call") func missingFileTakes() throws {
        let folder = try TemporaryFolder()
        let found = try operations.read(FilePath(folder.url.appending(path: "none")))
        #expect(found?.bytes == nil)
        #expect(calls.calls.map(\.kind) == [.open])
    }
}

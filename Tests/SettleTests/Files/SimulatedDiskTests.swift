import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SimulatedDiskTests {
    private let disk = SimulatedDisk()
    private var operations: FileOperations { FileOperations(disk) }
    private let a = FilePath("/a")
    private let b = FilePath("/b")

    private func make(_ path: FilePath, _ bytes: [UInt8] = [1, 2, 3]) throws {
        let file = try operations.open(path, .createNew(permissions: 0o600))
        try operations.write(bytes, to: file, at: path)
        try operations.close(file, at: path)
    }

    private func read(_ path: FilePath, on disk: SimulatedDisk? = nil) throws -> [UInt8] {
        let operations = FileOperations(disk ?? self.disk)
        let file = try operations.open(path, .read)
        defer { try? operations.close(file, at: path) }
        return try operations.readAll(file, at: path, limit: 1 << 20)
    }

    @Test("A file counts its links, and lives on while it is open") func links() throws {
        try make(a)
        try operations.link(a, to: b)
        #expect(try operations.status(at: a).linkCount == 2)
        let file = try operations.open(a, .read)
        try operations.remove(a)
        try operations.remove(b)
        #expect(try operations.status(of: file, at: a).linkCount == 0)
        #expect(try operations.readAll(file, at: a, limit: 10) == [1, 2, 3])
        #expect(throws: SystemError.notFound) { try disk.status(at: "/a") }
    }

    @Test("Writing or truncating beyond the end fills the gap with zeros") func offsets() throws {
        let file = try operations.open(a, .updateOrCreate(permissions: 0o600))
        try operations.write([1, 2], to: file, at: a, offset: 2)
        try operations.write([9], to: file, at: a, offset: 3)
        #expect(try read(a) == [0, 0, 1, 9])
        try operations.truncate(file, at: a, to: 3)
        try operations.truncate(file, at: a, to: 5)
        #expect(try read(a) == [0, 0, 1, 0, 0])
        let reader = try disk.openFile("/a", .read)
        #expect(throws: SystemError.badDescriptor) { try disk.truncateFile(reader, to: 0) }
    }

    @Test("A write advances the time of the contents, and a rename only that of the status") func times() throws {
        try make(a)
        let first = try operations.status(at: a)
        let file = try operations.open(a, .update)
        try operations.write([4], to: file, at: a, offset: 0)
        let second = try operations.status(at: a)
        #expect(second.contentsChanged > first.contentsChanged)
        try operations.rename(a, to: b)
        let third = try operations.status(at: b)
        #expect(third.contentsChanged == second.contentsChanged)
        #expect(third.statusChanged > second.statusChanged)
        #expect(third.identity == first.identity)
    }

    @Test("A lock belongs to a descriptor and ends with it") func locks() throws {
        try make(a)
        let first = try disk.openFile("/a", .read)
        let second = try disk.openFile("/a", .read)
        try disk.lockFile(first)
        try disk.lockFile(first)
        #expect(throws: SystemError.wouldBlock) { try disk.lockFile(second) }
        try disk.unlockFile(first)
        try disk.lockFile(second)
        try disk.closeFile(second)
        try disk.lockFile(first)
        let next = disk.diskAfterProcessCrash()
        try next.lockFile(try next.openFile("/a", .read))
    }

    @Test("Opening a path follows the symbolic links on the way and at its end") func symbolicLinks() throws {
        try disk.makeFolder("/folder", permissions: 0o700)
        try disk.makeSymbolicLink("/link", to: "folder")
        try disk.makeSymbolicLink("/folder/file", to: "../target")
        let file = try operations.open(FilePath("/link/file"), .updateOrCreate(permissions: 0o600))
        try operations.write([7], to: file, at: a, offset: 0)
        #expect(try read(FilePath("/target")) == [7])
        #expect(try disk.linkTarget("/link/file") == "../target")
        #expect(try disk.status(at: "/link/file").kind == .symbolicLink)
        #expect(throws: SystemError.invalidArgument) { try disk.linkTarget("/target") }
        try disk.makeSymbolicLink("/loop", to: "loop")
        #expect(throws: SystemError.tooManySymbolicLinks) { try disk.openFile("/loop", .read) }
    }

    @Test("A full disk takes what fits, and then nothing until space is freed") func capacity() throws {
        try make(a, [UInt8](repeating: 1, count: 60))
        disk.setCapacity(100)
        let file = try disk.openFile("/b", .createNew(permissions: 0o600))
        let bytes = [UInt8](repeating: 2, count: 50)
        let write = { offset in try bytes.withUnsafeBytes { try disk.writeBytes(file, at: offset, from: $0) } }
        #expect(try write(0) == 40)
        #expect(throws: SystemError.noSpace) { try write(40) }
        #expect(throws: SystemError.noSpace) { try disk.truncateFile(file, to: 41) }
        let reader = try disk.openFile("/a", .read)
        try disk.removeFile("/a")
        #expect(throws: SystemError.noSpace) { try write(40) }
        try disk.closeFile(reader)
        #expect(try write(40) == 50)
    }

    @Test("A power loss leaves any mix of the unsynced states of sectors, and any size, but tears no sector")
    func sectors() throws {
        let file = try operations.open(a, .updateOrCreate(permissions: 0o600))
        let old = [UInt8](repeating: 1, count: 1_024)
        try operations.write(old, to: file, at: a, offset: 0)
        try operations.synchronize(file, at: a)
        try operations.synchronizeFolder(FilePath("/"))
        try operations.write([2], to: file, at: a, offset: 0)
        try operations.write([3, 3], to: file, at: a, offset: 0)
        try operations.write([4], to: file, at: a, offset: 512)
        try operations.write([5], to: file, at: a, offset: 1_024)
        let found = try disk.disksAfterLossOfPower(limit: 1_000, seed: 3).map { try read(a, on: $0) }
        #expect(Set(found).count == found.count)
        let heads = Set(found.map { [$0[0], $0[1], $0[512], $0.count > 1_024 ? $0[1_024] : 9] })
        #expect(found.allSatisfy { $0.count == 1_024 || $0.count == 1_025 })
        for head: [UInt8] in [
            [1, 1, 1, 9], [3, 3, 4, 5], [3, 3, 4, 9], [1, 1, 1, 0], [3, 3, 1, 0], [1, 1, 4, 5], [3, 3, 1, 5],
            [1, 1, 4, 0],
        ] {
            #expect(heads.contains(head), "\(head)")
        }
        #expect(heads.contains { $0[..<2] == [2, 1] })
        #expect(!heads.contains { $0[..<2] == [3, 1] }, "a sector is never torn")
    }

    @Test("Changes of names survive in order, up to a different moment in each folder") func names() throws {
        try disk.makeFolder("/x", permissions: 0o700)
        try disk.makeFolder("/y", permissions: 0o700)
        try operations.synchronizeFolder(FilePath("/"))
        for path in ["/x/1", "/y/1", "/x/2"] { try make(FilePath(path), []) }
        let found = try disk.disksAfterLossOfPower().map { disk in
            (try disk.namesInFolder("/x") + disk.namesInFolder("/y").map { "y" + $0 }).sorted()
        }
        #expect(Set(found) == [[], ["1"], ["1", "2"], ["y1"], ["1", "y1"], ["1", "2", "y1"]])
    }

    @Test("After a failed sync, the bytes stay lost even if a later sync succeeds") func failedSync() throws {
        let file = try operations.open(a, .updateOrCreate(permissions: 0o600))
        try operations.synchronizeFolder(FilePath("/"))
        try operations.write([1], to: file, at: a, offset: 0)
        disk.failNextSync()
        #expect(throws: SystemError.inputOutput) { try disk.synchronizeData(file) }
        try disk.synchronizeData(file)
        #expect(try disk.disksAfterLossOfPower().contains { try read(a, on: $0).isEmpty })
    }

    @Test("A seed always gives the same disks, and no more than requested") func seeds() throws {
        let file = try operations.open(a, .updateOrCreate(permissions: 0o600))
        try operations.synchronizeFolder(FilePath("/"))
        for offset in 0..<8 { try operations.write([1], to: file, at: a, offset: offset * 512) }
        let found = { try self.disk.disksAfterLossOfPower(limit: 20, seed: $0).map { try self.read(self.a, on: $0) } }
        #expect(try found(1).count == 20)
        #expect(try found(1) == found(1))
        #expect(try found(1) != found(2))
    }
}

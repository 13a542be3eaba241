import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Whether a file is in memory is up to the system, so each test allows a refusal, and checks what happens without one.
@Suite(.timeLimit(.minutes(10))) struct CachedSystemCallsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func path(_ name: String) -> FilePath { FilePath(folder.url.appending(path: name)) }

    private func write(_ count: Int, to name: String) throws -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try Data(bytes).write(to: folder.url.appending(path: name))
        return bytes
    }

    @Test("A file is read as it is, or a call is refused", arguments: [0, 1, 4_095, 4_096, 4_097, 128 << 10])
    func reading(count: Int) throws {
        let bytes = try write(count, to: "file")
        let calls = CachedSystemCalls()
        let place = calls.place(of: path("file"))
        #expect(calls.hasRefused == (place == nil))
        let reading = try? FileOperations(calls).read(path("file"))
        guard !calls.hasRefused else { return }
        #expect(place == FilePlace(names: FileNames(path("file"))))
        #expect(reading?.bytes == bytes)
        let status = try POSIXSystemCalls().status(at: path("file").text)
        #expect(reading?.status == status)
        #expect(try calls.status(at: path("file").text) == status)
    }

    /// The changes of a file's name after the file was read.
    enum NameChange: CaseIterable {
        case none, removal, replacement, move, link
    }

    @Test("The name of a file that was read is looked up again as it is now", arguments: NameChange.allCases)
    func nameAfterReading(change: NameChange) throws {
        let bytes = try write(10, to: "file")
        let calls = CachedSystemCalls()
        guard calls.place(of: path("file")) != nil,
            let reading = try? FileOperations(calls).read(path("file"))
        else { return }
        #expect(reading.bytes == bytes)
        let (manager, url) = (FileManager.default, folder.url.appending(path: "file"))
        switch change {
        case .none: break
        case .removal: try manager.removeItem(at: url)
        case .replacement: try Data([1]).write(to: url, options: .atomic)
        case .move: try manager.moveItem(at: url, to: folder.url.appending(path: "other"))
        case .link:
            try manager.removeItem(at: url)
            try manager.createSymbolicLink(atPath: url.path, withDestinationPath: "other")
        }
        let expected = Result { () throws(SystemError) in try POSIXSystemCalls().status(at: path("file").text) }
        for _ in 0..<2 {
            let found = Result { () throws(SystemError) in try calls.status(at: path("file").text) }
            if calls.hasRefused { return }
            #expect(found == expected)
            #expect((try? found.get()).map { FileSignature($0) } == reading.signature || change != .none)
        }
    }

    #if os(Linux)
        @Test("No file stays open", arguments: [false, true]) func descriptors(isLookedUpAgain: Bool) throws {
            for name in ["first", "second"] { _ = try write(10, to: name) }
            do {
                let calls = CachedSystemCalls()
                for name in ["first", "second"] {
                    _ = try? FileOperations(calls).read(path(name))
                    if isLookedUpAgain { _ = try? calls.status(at: path(name).text) }
                }
            }
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            }
            #expect(!open.contains { $0.hasPrefix(folder.url.path) })
        }
    #endif

    @Test("A missing file is missing, or a call is refused") func missing() throws {
        // Now the system knows that it is missing.
        #expect(throws: SystemError.notFound) { try POSIXSystemCalls().status(at: path("missing").text) }
        let calls = CachedSystemCalls()
        let error = #expect(throws: SystemError.self) { try calls.openFile(path("missing").text, .read) }
        let expected: SystemError = calls.hasRefused ? .notPermitted : .notFound
        #expect(error == expected)
    }

    @Test("A larger file is refused", arguments: [CachedSystemCalls.partLimit + 1, CachedSystemCalls.sizeLimit + 1])
    func large(count: Int) throws {
        _ = try write(count, to: "file")
        let calls = CachedSystemCalls()
        #expect(throws: StorageError.self) { try FileOperations(calls).read(path("file")) }
        #expect(calls.hasRefused)
    }

    @Test("A part of a larger file is read, or a call is refused") func part() throws {
        let bytes = try write(2 * CachedSystemCalls.partLimit, to: "file")
        let calls = CachedSystemCalls()
        guard let file = try? calls.openFile(path("file").text, .read) else {
            #expect(calls.hasRefused)
            return
        }
        defer { try? calls.closeFile(file) }
        #expect(try calls.status(of: file).size == Int64(bytes.count))
        let part = try? FileOperations(calls).read(
            file, at: path("file"), offset: bytes.count - 100, count: CachedSystemCalls.partLimit)
        guard !calls.hasRefused else { return }
        #expect(part == Array(bytes.suffix(100)))
    }

    @Test("Links, and paths with dots, are refused") func links() throws {
        let manager = FileManager.default
        _ = try write(10, to: "file")
        try manager.createSymbolicLink(atPath: path("link").text, withDestinationPath: "file")
        try manager.createSymbolicLink(atPath: path("folder").text, withDestinationPath: ".")
        try manager.createSymbolicLink(atPath: path("dangling").text, withDestinationPath: "nowhere")
        for name in ["folder/file", "./file", "../\(folder.url.lastPathComponent)/file", "missing/file"] {
            let calls = CachedSystemCalls()
            #expect(calls.place(of: FilePath(folder.url.path + "/" + name)) == nil, "\(name)")
            #expect(calls.hasRefused, "\(name)")
        }
        for name in ["link", "dangling"] {
            let calls = CachedSystemCalls()
            #expect(throws: SystemError.notPermitted, "\(name)") { try calls.openFile(path(name).text, .read) }
            #expect(calls.hasRefused, "\(name)")
        }
    }

    @Test("A folder has the identity by which other calls know it, or is refused") func folderIdentity() throws {
        let calls = CachedSystemCalls()
        let found = calls.identity(ofFolder: FilePath(folder.url))
        guard calls.place(of: path("file")) != nil else { return }
        #expect(try found == POSIXSystemCalls().status(at: FilePath(folder.url).text).identity)
    }

    #if os(Linux)
        @Test("Kernels before 5.12, and releases that can't be read, have no lookups in memory only")
        func releases() {
            for release in ["5.12", "5.12.0-rc1", "5.100.3", "6.1.0-13-amd64", "10.0"] {
                #expect(CachedSystemCalls.hasCachedLookups(release: release), "\(release)")
            }
            for release in ["5.11.22-generic", "4.18.0-553.el8.x86_64", "5.2", "", "unknown"] {
                #expect(!CachedSystemCalls.hasCachedLookups(release: release), "\(release)")
            }
        }
    #endif

    @Test("Whatever would change a file is refused") func changing() throws {
        let bytes = try write(10, to: "file")
        let file = try POSIXSystemCalls().openFile(path("file").text, .update)
        defer { try? POSIXSystemCalls().closeFile(file) }
        let (old, new) = (path("file").text, path("new").text)
        let changes: [(CachedSystemCalls) throws -> Void] = [
            { _ = try $0.openFile(new, .createNew(permissions: 0o600)) },
            { _ = try $0.openFile(new, .updateOrCreate(permissions: 0o600)) },
            { calls in _ = try bytes.withUnsafeBytes { try calls.writeBytes(file, at: 0, from: $0) } },
            { try $0.truncateFile(file, to: 0) },
            { try $0.lockFile(file) },
            { try $0.setPermissions(at: old, to: 0o400) },
            { try $0.renameFile(old, to: new) },
            { try $0.linkFile(old, to: new) },
            { try $0.removeFile(old) },
            { try $0.makeFolder(new, permissions: 0o700) },
        ]
        for (index, change) in changes.enumerated() {
            let calls = CachedSystemCalls()
            #expect(throws: SystemError.notPermitted, "\(index)") { try change(calls) }
            #expect(calls.hasRefused, "\(index)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["file"])
        #expect(try Data(contentsOf: folder.url.appending(path: "file")) == Data(bytes))
    }
}

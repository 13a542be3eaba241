import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct FileDomainSourceTests {
    /// A file of another program, and system calls that record what the source does.
    private struct Fixture {
        let files: FileStorageFixture
        let calls = FaultySystemCalls()
        let source: FileDomainSource

        init(_ name: String = "settings.json") throws {
            files = try FileStorageFixture(name)
            source = FileDomainSource(at: files.file, calls: calls, watching: SystemFileWatching.shared)
        }

        /// What the source has done to anything.
        var changes: [SystemCall] {
            let harmless: Set<SystemCall.Kind> = [.open, .openFolder, .read, .close, .status, .names, .linkTarget]
            return calls.calls.filter { !harmless.contains($0.kind) }
        }
    }

    private func store(_ values: [SettingKey: SettingValue?], in storage: FileStorage) throws {
        try storage.append(
            StorageBatch(revision: 1, values: values), durability: .synced)
    }

    @Test("A missing file or folder is an empty domain, and nothing is made") func missing() throws {
        let fixture = try Fixture("below/missing/settings.json")
        #expect(try fixture.source.load() == DomainContents())
        #expect(try fixture.files.names() == [])
        #expect(fixture.changes == [])
    }

    @Test(
        "A file is read in each format", arguments: [FileFormat.json, .propertyListXML, .propertyListBinary])
    func formats(format: FileFormat) throws {
        let fixture = try Fixture("settings")
        let tree = SettingTree(["a": .integer(1), "b": .dictionary(["c": .string("d")])])
        try Data(try format.encode(tree)).write(to: fixture.files.file)
        #expect(try fixture.source.load() == DomainContents(tree))
        #expect(try fixture.files.names() == ["settings"])
        #expect(fixture.changes == [])
    }

    @Test("Values that only the journal has are seen, and its program is never held up") func journal() throws {
        let fixture = try Fixture()
        let writer = fixture.files.storage()
        _ = try writer.load()
        try store(["a": .integer(1)], in: writer)
        _ = try writer.checkpoint(SettingTree(["a": .integer(1)]), for: .closing)
        #expect(try fixture.source.load().tree.root == ["a": .integer(1)])
        for number in 2..<50 {
            try store(["a": .integer(Int64(number)), "b\(number)".key: .bool(true)], in: writer)
            let tree = try fixture.source.load().tree
            #expect(tree["a"] == .integer(Int64(number)))
            #expect(tree.root.count == number)
        }
        #expect(fixture.source.place(of: "a") == "the journal of “\(fixture.files.file.path)”")
        #expect(fixture.changes == [])
        writer.close()
    }

    @Test("While only the journal grows, the file is not read again") func growingJournal() throws {
        let fixture = try Fixture()
        let writer = fixture.files.storage()
        _ = try writer.load()
        try store(["a": .integer(1)], in: writer)
        _ = try writer.checkpoint(SettingTree(["a": .integer(1)]), for: .closing)
        // Old enough to show each later change.
        try age(fixture.files.file)
        _ = try fixture.source.load()
        fixture.calls.forget()
        try store(["a": .integer(2)], in: writer)
        #expect(try fixture.source.load().tree.root == ["a": .integer(2)])
        #expect(!fixture.calls.calls.contains { $0.kind == .open && $0.path.hasSuffix("/settings.json") })
        writer.close()
    }

    /// Waits until the file system's clock has left the tick of the file's last change.
    private func age(_ file: URL) throws {
        let calls = POSIXSystemCalls()
        while !FileSignature(try calls.status(at: file.path)).isSettled(at: wallTime(isExact: true)) { yieldThread() }
    }

    @Test("A damaged file throws with file and line, stays as it is, and heals") func damaged() throws {
        let fixture = try Fixture()
        try fixture.files.write("{\"a\": 1}")
        _ = try fixture.source.load()
        try fixture.files.write("{\n  \"a\": 1,\n  \"secret\" 5\n}")
        for _ in 0..<2 {
            let error = #expect(throws: StorageError.self) { try fixture.source.load() }
            #expect(error?.description.contains("settings.json") == true)
            #expect(error?.description.contains("Line 3, column 12") == true, "\(error?.description ?? "")")
        }
        #expect(try fixture.files.names() == ["settings.json"])
        #expect(fixture.changes == [])
        try fixture.files.write("{\"a\": 2}")
        #expect(try fixture.source.load() == DomainContents(SettingTree(["a": .integer(2)])))
    }

    @Test("A damaged journal is a problem, the rest is used, and it is not set aside") func damagedJournal() throws {
        let fixture = try Fixture()
        let writer = fixture.files.storage()
        _ = try writer.load()
        try store(["a": .integer(1)], in: writer)
        _ = try writer.checkpoint(SettingTree(["a": .integer(1)]), for: .closing)
        writer.close()
        let names = try fixture.files.names()
        try fixture.files.write(String(repeating: "no journal", count: 100), to: ".settings.json.journal")
        let contents = try fixture.source.load()
        #expect(contents.tree.root == ["a": .integer(1)])
        #expect(contents.problems.count == 1)
        #expect(contents.problems.first?.contains(".settings.json.journal” is damaged") == true)
        #expect(try fixture.files.names() == names)
        #expect(fixture.changes == [])
    }

    @Test("What a file can't be is an error that names it") func unreadable() throws {
        let fixture = try Fixture()
        try FileManager.default.createDirectory(at: fixture.files.file, withIntermediateDirectories: false)
        let error = #expect(throws: StorageError.self) { try fixture.source.load() }
        #expect(error?.description.contains("settings.json") == true)
    }

    @Test("Changes by others are reported: a folder that appears, edits, a replacement, a removal")
    func watched() async throws {
        let fixture = try Fixture("below/settings.json")
        _ = try fixture.source.load()
        let changes = ReportedChanges(of: fixture.source)
        let folder = fixture.files.file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try fixture.files.write("{\"a\": 1}")
        try await changes.load { $0["a"] == .integer(1) }
        try Data("{\"a\": 2}".utf8).write(to: fixture.files.file, options: .atomic)
        try await changes.load { $0["a"] == .integer(2) }
        try fixture.files.write("{\"a\": ")
        #expect(await changes.loadUntilItFails() != nil)
        try fixture.files.write("{\"a\": 3}")
        try await changes.load { $0["a"] == .integer(3) }
        try FileManager.default.removeItem(at: folder)
        try await changes.load { $0.root.isEmpty }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try fixture.files.write("{\"a\": 4}")
        try await changes.load { $0["a"] == .integer(4) }
        await fixture.source.close()
    }

    @Test("What another program appends to its journal is reported") func watchedJournal() async throws {
        let fixture = try Fixture()
        _ = try fixture.source.load()
        let changes = ReportedChanges(of: fixture.source)
        let writer = fixture.files.storage()
        _ = try writer.load()
        for number in 1...20 {
            let value = SettingValue.integer(Int64(number))
            try store(["a": value], in: writer)
            try await changes.load { $0["a"] == value }
            if number % 5 == 0 { _ = try writer.checkpoint(SettingTree(["a": value]), for: .closing) }
        }
        writer.close()
        await fixture.source.close()
    }

    @Test("A link that is led elsewhere is followed") func link() async throws {
        let fixture = try Fixture()
        for name in ["one", "two"] {
            let folder = fixture.files.folder.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("{\"a\": \"\(name)\"}".utf8).write(to: folder.appending(path: "settings.json"))
        }
        let calls = POSIXSystemCalls()
        func lead(to name: String) throws {
            let new = fixture.files.folder.appending(path: "new")
            try FileManager.default.createSymbolicLink(atPath: new.path, withDestinationPath: "\(name)/settings.json")
            try calls.renameFile(new.path, to: fixture.files.file.path)
        }
        try lead(to: "one")
        #expect(try fixture.source.load().tree["a"] == .string("one"))
        let changes = ReportedChanges(of: fixture.source)
        try lead(to: "two")
        try await changes.load { $0["a"] == .string("two") }
        try Data("{\"a\": 3}".utf8).write(to: fixture.files.folder.appending(path: "two/settings.json"))
        try await changes.load { $0["a"] == .integer(3) }
        await fixture.source.close()
    }

    @Test("A place has the line of the key as the file is now") func places() throws {
        let fixture = try Fixture()
        let path = fixture.files.file.path
        #expect(fixture.source.place(of: "a") == "“\(path)”")
        try fixture.files.write("{\n  \"a\": 1\n}")
        _ = try fixture.source.load()
        #expect(fixture.source.place(of: "a") == "“\(path)”, line 2")
        #expect(fixture.source.place(of: "missing") == "“\(path)”")
        try fixture.files.write("{\n\n\n  \"a\": 1\n}")
        #expect(fixture.source.place(of: "a") == "“\(path)”, line 4")
    }

    @Test("Twenty thousand keys tell their places from one reading of the file") func manyPlaces() throws {
        let fixture = try Fixture()
        var tree = SettingTree()
        for number in 0..<20_000 { tree["key\(number)"] = .integer(Int64(number)) }
        try Data(try FileFormat.json.encode(tree)).write(to: fixture.files.file)
        try age(fixture.files.file)
        _ = try fixture.source.load()
        fixture.calls.forget()
        for number in 0..<20_000 {
            guard fixture.source.place(of: SettingKey("key\(number)")!).contains(", line ") else {
                Issue.record("key\(number) has no line")
                return
            }
        }
        #expect(fixture.calls.calls.count { $0.kind == .open } == 1)
    }

    @Test("A load begins anew when another program replaces the file in the middle of it, however often")
    func replacedWithin() throws {
        let fixture = try Fixture()
        let writer = fixture.files.storage()
        _ = try writer.load()
        let count = LockedValue(0)
        let calls = fixture.calls
        @Sendable func replace() {
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number <= 12 else { return }
            let value = SettingValue.integer(Int64(number))
            _ = try? writer.append(StorageBatch(revision: 1, values: ["a": value, "b": value]), durability: .buffered)
            _ = try? writer.checkpoint(SettingTree(["a": value, "b": value]), for: .closing)
            calls.beforeNext(.read) { replace() }
        }
        replace()
        #expect(try fixture.source.load().tree.root == ["a": .integer(12), "b": .integer(12)])
        writer.close()
    }

    @Test("A load while another program replaces file and journal again and again never mixes two moments")
    func replaced() async throws {
        let fixture = try Fixture()
        let writer = fixture.files.storage()
        _ = try writer.load()
        try store(["a": .integer(0), "b": .integer(0)], in: writer)
        let writing = Task.detached {
            for number in 1...300 {
                let value = SettingValue.integer(Int64(number))
                try writer.append(
                    StorageBatch(revision: 1, values: ["a": value, "b": value]), durability: .buffered)
                _ = try writer.checkpoint(SettingTree(["a": value, "b": value]), for: .closing)
            }
            writer.close()
        }
        var last: Int64 = -1
        while last < 300 {
            try Task.checkCancellation()
            // The writer may need this thread.
            await Task.yield()
            guard let tree = try? fixture.source.load().tree, case .integer(let number)? = tree["a"] else { continue }
            #expect(tree["b"] == .integer(number))
            #expect(number >= last)
            guard number >= last, tree["b"] == .integer(number) else { break }
            last = number
        }
        try await writing.value
        #expect(fixture.changes == [])
    }
}

extension String {
    fileprivate var key: SettingKey { SettingKey(self)! }
}

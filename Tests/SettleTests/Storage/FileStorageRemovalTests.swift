import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Files and folders removed while one or two processes have them open: all values are stored again.
@Suite(.timeLimit(.minutes(10))) struct FileStorageRemovalTests {
    /// What is removed or replaced.
    enum Removal: CaseIterable, Sendable {
        case file, journal, both, folder, everythingInFolder, folderMovedAway, fileReplacedByFolder,
            journalReplacedByFolder,
            bothMovedAway, folderReplaced

        func happen(to file: URL) throws {
            let manager = FileManager.default
            let folder = file.deletingLastPathComponent()
            let journal = folder.appending(path: ".\(file.lastPathComponent).journal")
            switch self {
            case .file: try manager.removeItem(at: file)
            case .journal: try manager.removeItem(at: journal)
            case .both:
                try manager.removeItem(at: file)
                try manager.removeItem(at: journal)
            case .folder: try manager.removeItem(at: folder)
            case .everythingInFolder:
                for name in try manager.contentsOfDirectory(atPath: folder.path) {
                    try manager.removeItem(at: folder.appending(path: name))
                }
            case .folderMovedAway:
                try manager.moveItem(at: folder, to: folder.deletingLastPathComponent().appending(path: "away"))
            case .folderReplaced:
                try manager.moveItem(at: folder, to: folder.deletingLastPathComponent().appending(path: "away"))
                try manager.createDirectory(at: folder, withIntermediateDirectories: false)
            case .bothMovedAway:
                try manager.moveItem(at: file, to: folder.appending(path: "a"))
                try manager.moveItem(at: journal, to: folder.appending(path: "b"))
            case .fileReplacedByFolder:
                try manager.removeItem(at: file)
                try manager.createDirectory(at: file.appending(path: "inner"), withIntermediateDirectories: true)
            case .journalReplacedByFolder:
                try manager.removeItem(at: journal)
                try manager.createDirectory(at: journal.appending(path: "inner"), withIntermediateDirectories: true)
            }
        }
    }

    /// A call that notices a removal, or promises durability.
    enum Call: CaseIterable, Sendable {
        case look, append, syncedAppend, emptySyncedAppend, checkpoint, closing

        func happen(to process: Process) throws {
            switch self {
            case .look: try process.look()
            case .append: try process.append(["late": .integer(1)], .buffered)
            case .syncedAppend: try process.append(["late": .integer(1)], .synced)
            case .emptySyncedAppend: try process.append([:], .synced)
            case .checkpoint: _ = try process.storage.checkpoint(process.known, for: .settled)
            case .closing: #expect(try process.storage.checkpoint(process.known, for: .closing))
            }
        }

        /// Whether the call is only buffered, so that a look must follow.
        var promisesNothing: Bool { self == .append }
    }

    /// A storage, and the values that its store would know.
    final class Process {
        let storage: FileStorage
        var known: SettingTree
        let calls = FaultySystemCalls(synchronizes: false)

        init(_ file: URL) throws {
            storage = FileStorage(at: file, calls: calls, lockTimeout: LockTimeout(limit: .zero))
            known = try storage.load().tree
        }

        deinit { calls.endProcess() }

        /// Merges external changes, and returns the errors among them.
        @discardableResult func look() throws -> [StorageError] {
            var errors: [StorageError] = []
            for change in try storage.externalChanges() {
                change.apply(to: &known)
                if case .unusable(let error) = change.content { errors.append(error) }
            }
            return errors
        }

        func append(_ values: [SettingKey: SettingValue?], _ durability: StorageDurability = .buffered) throws {
            let replaced = values.keys.reduce(into: [SettingKey: SettingValue]()) { $0[$1] = known[$1] }
            known.apply(values)
            try storage.append(
                StorageBatch(revision: 1, values: values, expectedValues: replaced), durability: durability)
        }
    }

    let temporary: TemporaryFolder
    let file: URL

    init() throws {
        temporary = try TemporaryFolder()
        file = temporary.url.appending(path: "app/settings.json")
    }

    static let start: SettingValue.Entries = [
        "a": .integer(1), "b": .integer(2), "g": .dictionary(["x": .integer(3), "y": .integer(4)]),
    ]

    /// A process with a file, and a value that only its journal has.
    func process() throws -> Process {
        let process = try Process(file)
        try process.append(Self.start.mapValues { $0 }, .synced)
        #expect(try process.storage.checkpoint(process.known, for: .settled))
        try process.append(["b": .integer(5)], .synced)
        return process
    }

    func freshTree() throws -> SettingTree { try freshLoad().tree }

    /// What a new process would find.
    private func freshLoad() throws -> StorageContents {
        let calls = FaultySystemCalls(synchronizes: false)
        defer { calls.endProcess() }
        return try FileStorage(at: file, calls: calls).load()
    }

    @Test(
        "Whichever call notices a removal stores all values again", arguments: Removal.allCases,
        Call.allCases)
    func alone(removal: Removal, call: Call) throws {
        let process = try process()
        try removal.happen(to: file)
        try call.happen(to: process)
        if call.promisesNothing { try process.look() }
        // As if the process had been killed.
        #expect(try freshTree() == process.known, "\(removal) \(call)")
        #expect(process.known["b"] == .integer(5) && process.known["g.y"] == .integer(4))
        #expect(try freshLoad().outcome == .intact)
        if call != .append, removal != .journal, removal != .journalReplacedByFolder {
            let bytes = try Array(Data(contentsOf: file))
            #expect(try FileFormat.json.decode(bytes)["g.x"] == .integer(3), "the file is to be there again")
        }
        #expect(try process.look().count <= 1)
        #expect(try process.look().isEmpty)
    }

    @Test(
        "The append after a removal journals all values, even if the process ends right then",
        arguments: [false, true])
    func appendAndEnd(isMadeAnew: Bool) throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        for name in try fixture.names() { try FileManager.default.removeItem(at: fixture.folder.appending(path: name)) }
        if isMadeAnew {
            // By a process that found no files.
            let other = FileStorage(at: fixture.file)
            _ = try other.load()
            try other.append(batch(1, ["c": .integer(3)]), durability: .buffered)
            other.close()
        }
        try storage.append(batch(2, ["b": .integer(2)]), durability: .buffered)
        fixture.calls.endProcess()
        var expected: SettingValue.Entries = ["a": .integer(1), "b": .integer(2)]
        if isMadeAnew { expected["c"] = .integer(3) }
        #expect(try fixture.freshLoad().tree.root == expected)
    }

    @Test("A removal is reported once, saying that the file is written again") func told() throws {
        let process = try process()
        try Removal.file.happen(to: file)
        let errors = try process.look()
        #expect(
            errors.map(\.description) == [
                "“\(file.path)” has been removed. The last good values stay in force, and the file is written again with them."
            ])
        #expect(try process.look().isEmpty)
    }

    @Test(
        "What stands in the file's place is named, and set aside",
        arguments: [("a folder", S_IFDIR), ("a named pipe", S_IFIFO), ("a socket", S_IFSOCK)])
    func replaced(name: String, kind: mode_t) throws {
        let process = try process()
        try FileManager.default.removeItem(at: file)
        if kind == S_IFDIR {
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        } else {
            try #require(mknod(file.path, kind | 0o600, 0) == 0)
        }
        let errors = try process.look()
        #expect(
            errors.map(\.description) == [
                "“\(file.path)” has been replaced by \(name), which was set aside as “settings.json.corrupt-1”. "
                    + "The last good values stay in force, and the file is written again with them."
            ])
        let aside = file.deletingLastPathComponent().appending(path: "settings.json.corrupt-1")
        #expect(try FileOperations(process.calls).status(at: FilePath(aside.path)).kind.description == name)
        #expect(try freshTree() == process.known)
        // At rest, it is left alone.
        process.storage.close()
        try FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: aside, to: file)
        let error = #expect(throws: StorageError.self) { try freshLoad() }
        #expect(error?.description.hasSuffix("can't be read: it is \(name), not a regular file.") == true)
    }

    @Test("After a removal, two processes keep the values of both", arguments: Removal.allCases, Call.allCases)
    func two(removal: Removal, call: Call) throws {
        let one = try process()
        let other = try Process(file)
        try one.append(["one": .integer(1)])
        try other.append(["other": .integer(2)])
        try removal.happen(to: file)
        try call.happen(to: one)
        try call.happen(to: other)
        try one.append(["a": .integer(8)])
        try other.append(["a": .integer(9)])
        try one.look()
        try other.look()
        var expected = SettingTree(Self.start)
        expected.apply(["a": .integer(9), "b": .integer(5), "one": .integer(1), "other": .integer(2)])
        if call == .append || call == .syncedAppend { expected["late"] = .integer(1) }
        #expect(one.known == expected && other.known == expected, "\(removal) \(call)")
        #expect(try freshTree() == expected, "\(removal) \(call)")
        #expect(try one.storage.checkpoint(one.known, for: .closing))
        #expect(try FileFormat.json.decode(Array(Data(contentsOf: file))) == expected)
    }

    @Test("A process that opens what is left takes no values away from a running one", arguments: Removal.allCases)
    func openedRemains(removal: Removal) throws {
        for doesWrite in [false, true] {
            for doesCheckpoint in [false, true] {
                let temporary = try TemporaryFolder()
                let file = temporary.url.appending(path: "app/settings.json")
                let test = FileStorageRemovalTests(temporary, file)
                let running = try test.process()
                try removal.happen(to: file)
                guard let other = try? Process(file) else { continue }
                if doesWrite { try other.append(["a": .integer(7), "new": .integer(1), "g.x": nil]) }
                if doesCheckpoint { _ = try other.storage.checkpoint(other.known, for: .closing) }
                other.storage.close()
                try running.look()
                var expected = SettingTree(Self.start)
                expected["b"] = .integer(5)
                if doesWrite { expected.apply(["a": .integer(7), "new": .integer(1), "g.x": nil]) }
                let comment: Comment = "\(removal), writes: \(doesWrite), checkpoint: \(doesCheckpoint)"
                #expect(running.known == expected, comment)
                #expect(try test.freshTree() == expected, comment)
                try running.append(["c": .integer(1)], .synced)
                expected["c"] = .integer(1)
                #expect(try test.freshTree() == expected, comment)
            }
        }
    }

    @Test(
        "Values that were removed while no process ran stay away, however many find that", arguments: [2, 3],
        [Call.look, .append, .syncedAppend, .checkpoint, .closing])
    func removedAtRest(count: Int, call: Call) throws {
        for isRemovedAgain in [false, true] {
            let temporary = try TemporaryFolder()
            let file = temporary.url.appending(path: "app/settings.json")
            let test = FileStorageRemovalTests(temporary, file)
            let before = try test.process()
            #expect(try before.storage.checkpoint(before.known, for: .closing))
            before.storage.close()
            try Removal.file.happen(to: file)
            let processes = try (0..<count).map { _ in try Process(file) }
            #expect(processes.allSatisfy { $0.known.root.isEmpty })
            try processes[0].append(["c": .integer(1)], .synced)
            for process in processes[1...] { try call.happen(to: process) }
            var expected = SettingTree(["c": .integer(1)])
            if call == .append || call == .syncedAppend { expected["late"] = .integer(1) }
            if isRemovedAgain {
                try processes[0].look()
                #expect(try processes[0].storage.checkpoint(processes[0].known, for: .settled), "\(count), \(call)")
                try Removal.file.happen(to: file)
                try processes[1].append(["d": .integer(2)], .synced)
                expected["d"] = .integer(2)
            }
            for process in processes { try process.look() }
            let comment: Comment = "\(count), \(call), removed again: \(isRemovedAgain)"
            #expect(processes.allSatisfy { $0.known == expected }, comment)
            #expect(try test.freshTree() == expected, comment)
            #expect(try processes[0].storage.checkpoint(processes[0].known, for: .closing), comment)
            #expect(try test.freshTree() == expected, comment)
        }
    }

    init(_ temporary: TemporaryFolder, _ file: URL) {
        self.temporary = temporary
        self.file = file
    }

    @Test("An append under the lock stores removed files again and keeps the lock") func locked() throws {
        for removal in Removal.allCases {
            let temporary = try TemporaryFolder()
            let file = temporary.url.appending(path: "app/settings.json")
            let test = FileStorageRemovalTests(temporary, file)
            let process = try test.process()
            let other = try Process(file)
            try process.storage.lock()
            try removal.happen(to: file)
            try process.append(["c": .integer(1)], .synced)
            #expect(try test.freshTree() == process.known, "\(removal)")
            #expect(throws: StorageError.self, "\(removal)") { try other.append(["d": .integer(1)]) }
            process.storage.unlock()
            try other.append(["d": .integer(1)])
            try process.look()
            #expect(try test.freshTree() == process.known && process.known["d"] == .integer(1), "\(removal)")
        }
    }

    @Test("A removed file without values is written again too") func empty() throws {
        let process = try Process(file)
        try process.append(["a": .integer(1)])
        #expect(try process.storage.checkpoint(process.known, for: .settled))
        try process.append(["a": nil])
        #expect(try process.storage.checkpoint(process.known, for: .settled))
        try Removal.file.happen(to: file)
        try process.look()
        #expect(try freshLoad() == intact([:]))
        #expect(try Data(contentsOf: file).count > 0)
    }

    @Test("A file that appears while the removed one is written again keeps its values")
    func putBack() throws {
        for (count, moment) in [(0, SystemCall.Kind.create), (1, .synchronize)] {
            let process = try process()
            try Removal.file.happen(to: file)
            let (calls, path, appeared) = (process.calls, file, Flag())
            calls.after(count, .create) {
                calls.beforeNext(moment) {
                    guard (try? Data(#"{"a": 7}"#.utf8).write(to: path)) != nil else { return }
                    appeared.raise()
                }
            }
            _ = try process.look()
            _ = try process.look()
            #expect(appeared.isRaised, "\(moment)")
            var expected = SettingTree(Self.start)
            expected.apply(["a": .integer(7), "b": .integer(5)])
            #expect(process.known == expected, "\(moment)")
            #expect(try freshTree() == expected, "\(moment)")
            #expect(try process.storage.checkpoint(process.known, for: .closing), "\(moment)")
            #expect(try FileFormat.json.decode(Array(Data(contentsOf: file))) == expected, "\(moment)")
            process.storage.close()
            try FileManager.default.removeItem(at: file.deletingLastPathComponent())
        }
    }
}

extension FaultySystemCalls {
    /// Runs an action once `count` calls of a kind have begun.
    fileprivate func after(_ count: Int, _ kind: SystemCall.Kind, do action: @escaping @Sendable () -> Void) {
        guard count > 0 else { return action() }
        beforeNext(kind) { self.after(count - 1, kind, do: action) }
    }
}

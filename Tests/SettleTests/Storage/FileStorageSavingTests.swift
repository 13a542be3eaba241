import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct FileStorageSavingTests {
    @Test("An append makes one write, and one sync if it is synced") func appends() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
        fixture.calls.forget()
        try storage.append(batch(2, ["a": .integer(2)]), durability: .buffered)
        // What is written comes after what somebody may have edited.
        let append =
            ["lock", "status", "read"].map { "\($0) .settings.json.journal" } + ["status settings.json"]
            + ["write", "unlock"].map { "\($0) .settings.json.journal" }
        #expect(fixture.callTexts == append)
        // After a sync, the storage checks that a later opening will find the values.
        let look = ["status settings.json", "status .settings.json.journal"]
        let stable = ["synchronizeData .settings.json.journal"] + look
        fixture.calls.forget()
        try storage.append(batch(3, ["a": .integer(3)]), durability: .synced)
        #expect(fixture.callTexts == append + stable)
        #expect(try fixture.names() == [".settings.json.journal"])
        #expect(try fixture.freshLoad() == intact(["a": .integer(3)]))
    }

    @Test("The first buffered append creates the journal without a sync") func firstAppend() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        #expect(
            fixture.callTexts == [
                "update .settings.json.journal", "lock .settings.json.journal", "status .settings.json.journal",
                "status .settings.json.journal",
                "setPermissions .settings.json.journal",
                "write .settings.json.journal", "truncate .settings.json.journal",
                "status settings.json", "write .settings.json.journal", "unlock .settings.json.journal",
            ])
        #expect(try fixture.freshLoad() == intact(["a": .integer(1)]))
    }

    @Test("The first synced append makes the names of a new journal and of its folders durable, before its contents")
    func firstSync() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        fixture.calls.forget()
        try storage.append(batch(2, [:]), durability: .synced)
        let syncs = fixture.calls.calls.filter { [.synchronize, .synchronizeData].contains($0.kind) }
        #expect(syncs.first == SystemCall(kind: .synchronize, path: fixture.folder.path))
        #expect(syncs.dropLast().allSatisfy { $0.kind == .synchronize && fixture.folder.path.hasPrefix($0.path) })
        #expect(syncs.last?.description == "synchronizeData .settings.json.journal")
        fixture.calls.forget()
        try storage.append(batch(3, ["a": .integer(3)]), durability: .synced)
        #expect(!fixture.calls.calls.map(\.kind).contains(.synchronize), "once is enough")
    }

    @Test("A storage that has only read syncs nothing when it closes, but checks that the files are there")
    func closingReader() throws {
        let fixture = try FileStorageFixture()
        let tree = SettingTree(["a": .integer(1)])
        let writer = try fixture.opened()
        try writer.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        #expect(try writer.checkpoint(tree, for: .closing))
        let reader = try fixture.opened()
        #expect(try reader.checkpoint(tree, for: .closing))
        // The journal by its descriptor, and by its name.
        let journal = "status .settings.json.journal"
        #expect(fixture.callTexts == ["status settings.json", journal, journal])
        // A caller that asks for it relies on what others have written.
        #expect(try reader.checkpoint(tree, for: .requested))
        #expect(fixture.callTexts.contains("synchronizeData .settings.json.journal"))
        try FileManager.default.removeItem(at: fixture.file)
        #expect(try reader.checkpoint(tree, for: .closing))
        #expect(try fixture.freshLoad() == intact(["a": .integer(1)]))
    }

    @Test("A checkpoint syncs the journal, the file before the exchange and then the folder, before it is confirmed")
    func checkpointOrder() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        try storage.append(batch(2, ["a": .integer(2)]), durability: .buffered)
        fixture.calls.forget()
        #expect(try storage.checkpoint(SettingTree(["a": .integer(2)]), for: .settled))
        let folder = fixture.folder.lastPathComponent
        #expect(
            fixture.callTexts.filter { !$0.hasPrefix("status") && !$0.hasPrefix("read") && $0 != "close settings.json" }
                == [
                    "lock .settings.json.journal", "open settings.json",
                    "write .settings.json.journal", "synchronizeData .settings.json.journal",
                    "create temporary", "lock temporary", "setPermissions temporary", "write temporary",
                    "synchronize temporary", "close temporary",
                    "rename .settings.json.previous", "exchange settings.json",
                    "openFolder \(folder)", "synchronize \(folder)", "close \(folder)",
                    "open .settings.json.previous", "close .settings.json.previous", "write .settings.json.journal",
                    "unlock .settings.json.journal",
                ])
        #expect(try fixture.freshLoad() == intact(["a": .integer(2)]))
        fixture.calls.forget()
        #expect(try storage.checkpoint(SettingTree(["a": .integer(2)]), for: .settled))
        #expect(!fixture.calls.calls.map(\.kind).contains(.write), "there was nothing more to write")
    }

    @Test("A synced empty batch makes earlier appends durable, once") func emptyBatchSyncs() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
        try storage.append(batch(1, ["a": .integer(2)]), durability: .buffered)
        fixture.calls.forget()
        try storage.append(batch(1, [:]), durability: .buffered)
        #expect(fixture.calls.calls.isEmpty)
        try storage.append(batch(1, [:]), durability: .synced)
        let look = ["status settings.json", "status .settings.json.journal"]
        #expect(fixture.callTexts == ["synchronizeData .settings.json.journal"] + look)
        fixture.calls.forget()
        try storage.append(batch(1, [:]), durability: .synced)
        #expect(fixture.callTexts == look)
    }

    @Test("A large file is written once the journal has grown by about four times its size, or at rest")
    func large() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        var root: SettingValue.Entries = [:]
        for number in 0..<10_000 { root["key\(number)"] = .integer(Int64(number)) }
        try storage.append(batch(1, root.mapValues { $0 }), durability: .buffered)
        #expect(try storage.checkpoint(SettingTree(root), for: .settled))
        let size = try fixture.text().utf8.count
        var appended = 0
        var written = 0
        while written == 0 {
            appended += 1
            root["key1"] = .string(String(repeating: "x", count: 1_000) + "\(appended)")
            try storage.append(batch(2, ["key1": root["key1"]]), durability: .buffered)
            fixture.calls.forget()
            if try storage.checkpoint(SettingTree(root), for: .settled) { written = appended }
            if written == 0 { #expect(Set(fixture.calls.calls.map(\.kind)) == [.synchronizeData, .status]) }
        }
        #expect((3 * size / 1_000...5 * size / 1_000).contains(written))
        try storage.append(batch(3, ["key1": .integer(0)]), durability: .buffered)
        root["key1"] = .integer(0)
        #expect(try !storage.checkpoint(SettingTree(root), for: .settled))
        #expect(try storage.checkpoint(SettingTree(root), for: .resting))
        #expect(try fixture.text().contains("\"key1\": 0,"))
    }

    @Test("The journal does not grow forever") func journalSize() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        for number in 0..<500 {
            let values: SettingValue.Entries = [
                "a": .integer(Int64(number)), "b": .string(String(repeating: "b", count: 500)),
            ]
            try storage.save(batch(UInt64(number), values.mapValues { $0 }))
        }
        let size = try FileManager.default.attributesOfItem(atPath: fixture.folder.path + "/.settings.json.journal")[
            .size]
        #expect(try #require(size as? Int) < 200_000)
        #expect(try fixture.freshLoad().tree["a"] == .integer(499))
    }

    @Test("The first synced append creates missing folders and makes their names durable") func folders() throws {
        let fixture = try FileStorageFixture("one/two/settings.json")
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
        let synced = fixture.callTexts.filter { $0.hasPrefix("synchronize ") }
        #expect(
            synced.prefix(3) == [
                "synchronize two", "synchronize one", "synchronize \(fixture.folder.lastPathComponent)",
            ])
        fixture.calls.forget()
        try storage.append(batch(2, ["a": .integer(2)]), durability: .synced)
        #expect(!fixture.callTexts.contains { $0.hasPrefix("synchronize ") })
        #expect(try fixture.freshLoad() == intact(["a": .integer(2)]))
    }

    @Test("A folder whose permissions could not be set is synced like any other") func folderFailure() throws {
        let fixture = try FileStorageFixture("one/settings.json")
        let storage = try fixture.opened()
        fixture.calls.fail(every: .setPermissions, with: .inputOutput)
        #expect(throws: StorageError.self) {
            try storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
        }
        fixture.calls.heal()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
        #expect(fixture.callTexts.contains("synchronize \(fixture.folder.lastPathComponent)"))
    }

    @Test("Files are 0600 and folders 0700, whatever the umask is", arguments: [0, 0o022, 0o077, 0o777] as [UInt16])
    func permissions(mask: UInt16) throws {
        let fixture = try FileStorageFixture("one/two/settings.json", mask: mask)
        let storage = try fixture.opened()
        try storage.save(batch(1, ["a": .integer(1)]))
        try storage.save(batch(2, ["a": .integer(2)]))
        #expect(try fixture.permissions(of: "one") == 0o700)
        #expect(try fixture.permissions(of: "one/two") == 0o700)
        #expect(try fixture.permissions(of: "one/two/settings.json") == 0o600)
        #expect(try fixture.permissions(of: "one/two/.settings.json.previous") == 0o600)
        #expect(try fixture.permissions(of: "one/two/.settings.json.journal") == 0o600)
    }

    @Test(
        "A file keeps its permissions, and the files beside it are 0600", arguments: [0o666, 0o644, 0o400])
    func keepsPermissions(permissions: Int) throws {
        let fixture = try FileStorageFixture(mask: 0o077)
        try fixture.write("{}")
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: fixture.file.path)
        let storage = try fixture.opened()
        for revision in 1...3 as ClosedRange<UInt64> {
            try storage.save(batch(revision, ["a": .integer(Int64(revision))]))
            #expect(try fixture.permissions(of: "settings.json") == permissions)
            #expect(try fixture.permissions(of: ".settings.json.previous") == 0o600)
            #expect(try fixture.permissions(of: ".settings.json.journal") == 0o600)
        }
    }

    @Test("Saving a group with secrets makes a file 0600 that others could read") func narrows() async throws {
        let fixture = try FileStorageFixture()
        try fixture.write("{}")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: fixture.file.path)
        let store = try await SettingsStore.open(storage: fixture.storage())
        let plain = try await store.group(CounterSettings.self)
        plain.count = 1
        try await store.close()
        #expect(try fixture.permissions(of: "settings.json") == 0o644)
        let again = try await SettingsStore.open(storage: fixture.storage())
        let secret = try await again.group(TokenSettings.self)
        secret.token = Secret("t")
        try await again.close()
        #expect(try fixture.permissions(of: "settings.json") == 0o600)
        #expect(try fixture.permissions(of: ".settings.json.previous") == 0o600)
    }

    @Test("A file that others can read stays readable throughout a save") func readableThroughout() throws {
        let fixture = try FileStorageFixture()
        try fixture.write("{}")
        let path = fixture.file.path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        for moment in [SystemCall.Kind.create, .write, .rename, .exchange, .openFolder] {
            let storage = try fixture.opened()
            fixture.calls.beforeNext(moment) {
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                #expect((attributes?[.posixPermissions] as? NSNumber)?.intValue == 0o644, "before \(moment)")
            }
            try storage.save(batch(1, [.path("\(moment)"): .integer(1)]))
            storage.close()
        }
    }

    @Test("The bytes written per save are bounded, however large the file is")
    func amplification() throws {
        for count in [100, 1_000, 3_000] {
            let fixture = try FileStorageFixture()
            let storage = try fixture.opened()
            var root: SettingValue.Entries = [:]
            for number in 0..<count { root["key\(number)"] = .integer(Int64(number)) }
            try storage.append(batch(1, root.mapValues { $0 }), durability: .buffered)
            #expect(try storage.checkpoint(SettingTree(root), for: .closing))
            fixture.calls.forget()
            let saves = 400
            for number in 0..<saves {
                let (key, value) = ("key\(number % count)", SettingValue.integer(Int64(1_000_000 + number)))
                try storage.append(
                    StorageBatch(
                        revision: 2, values: [.path(key): value], expectedValues: [.path(key): root[key] ?? .null]),
                    durability: .buffered)
                root[key] = value
                _ = try storage.checkpoint(SettingTree(root), for: .settled)
            }
            let perSave = fixture.calls.writtenBytes / saves
            #expect(perSave <= 5_000, "\(perSave) bytes with \(count) keys")
            #expect(try FileStorage(at: fixture.file).load().tree.root == root)
        }
    }

    /// At ten writes a second, and with a store that asks for the file every two seconds.
    @Test(
        "A steady stream of writes of 8 bytes writes at most 25 times as many, with any number of keys",
        arguments: [20, 300, 3_000], [false, true])
    func steadyWrites(count: Int, hasHistory: Bool) throws {
        let calls = FaultySystemCalls(SimulatedDisk())
        let storage = FileStorage(at: URL(filePath: "/home/settings.json"), calls: calls)
        var tree = try storage.load().tree
        if hasHistory { try storage.keepHistory(.keep()) }
        for number in 0..<count { tree[.path("setting_\(10_000 + number)")] = .integer(Int64(number)) }
        try storage.append(batch(1, tree.root.mapValues { $0 }), durability: .buffered)
        #expect(try storage.checkpoint(tree, for: .closing))
        let (author, now) = (
            TransactionAuthor(program: "settle-tests", process: 4_711, user: "somebody"),
            Date().timeIntervalSinceReferenceDate
        )
        func write(_ number: Int) throws {
            let (old, new) = (tree["count"], SettingValue.real(Double(number) + 0.1))
            tree["count"] = new
            let transaction = StoredTransaction(
                time: now, author: author, origin: .local,
                mutations: [StoredMutation(key: "count", oldValue: old, newValue: new)])
            try storage.append(
                StorageBatch(revision: 2, values: ["count": new], transactions: [transaction]), durability: .buffered)
            if number % 20 == 0 { _ = try storage.checkpoint(tree, for: .changing) }
        }
        // Long enough for the file and the journal to be written several times.
        for number in 1...20 { try write(number) }
        calls.forget()
        let writes = 6_000 + 2 * count
        for number in 1...writes { try write(20 + number) }
        let perWrite = Double(calls.writtenBytes) / Double(writes)
        #expect(perWrite <= 200, "\(perWrite) bytes")
        #expect(calls.calls.count { $0.kind == .exchange } > 1)
        #expect(calls.calls.count { $0.kind == .rename && $0.path.hasSuffix(".journal") } > 1)
    }

    @Test("Saves leave only the file, its previous version and the journal") func leavesNothing() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        for revision in 1...5 as ClosedRange<UInt64> {
            try storage.save(batch(revision, ["a": .integer(Int64(revision))]))
        }
        #expect(try fixture.names() == [".settings.json.journal", ".settings.json.previous", "settings.json"])
        #expect(try fixture.text(of: ".settings.json.previous").contains("4"))
    }

    @Test("A save keeps a symbolic link and replaces the file that it leads to") func symbolicLink() throws {
        let fixture = try FileStorageFixture()
        let manager = FileManager.default
        try manager.createDirectory(at: fixture.folder.appending(path: "real"), withIntermediateDirectories: false)
        try fixture.write("{\"a\": 1}", to: "real/target.json")
        try manager.createSymbolicLink(
            atPath: fixture.folder.path + "/real/hop.json", withDestinationPath: "target.json")
        try manager.createSymbolicLink(atPath: fixture.file.path, withDestinationPath: "real/hop.json")
        let storage = try fixture.opened()
        try storage.save(batch(1, ["b": .integer(2)]), over: ["a": .integer(1)])
        #expect(try manager.destinationOfSymbolicLink(atPath: fixture.file.path) == "real/hop.json")
        #expect(try fixture.freshLoad() == intact(["a": .integer(1), "b": .integer(2)]))
        #expect(try fixture.names() == ["real", "settings.json"])
        #expect(try fixture.text(of: "real/target.json").contains("b"))
    }

    @Test("A save through a dangling link creates the file and its folders") func danglingLink() throws {
        let fixture = try FileStorageFixture()
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: fixture.file.path, withDestinationPath: "missing/target.json")
        let storage = fixture.storage()
        #expect(try storage.load().outcome == .absent)
        try storage.save(batch(1, ["a": .integer(1)]))
        #expect(try manager.destinationOfSymbolicLink(atPath: fixture.file.path) == "missing/target.json")
        #expect(try fixture.freshLoad() == intact(["a": .integer(1)]))
    }

    @Test("A value that the format can't spell refuses its whole batch, and later batches are saved")
    func unsupported() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
        fixture.calls.forget()
        let error = #expect(throws: StorageError.self) {
            try storage.append(batch(2, ["bad": .real(.nan), "b": .integer(2)]), durability: .synced)
        }
        #expect(error?.code == .unsupportedValue)
        #expect(fixture.calls.writtenBytes == 0)
        #expect(try fixture.freshLoad() == intact(["a": .integer(1)]))
        try storage.append(batch(3, ["c": .integer(3)]), durability: .synced)
        #expect(try fixture.freshLoad() == intact(["a": .integer(1), "c": .integer(3)]))
    }

    @Test("Nothing is written before a load or after closing") func phases() throws {
        let fixture = try FileStorageFixture()
        let storage = fixture.storage()
        let early = #expect(throws: StorageError.self) {
            try storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
        }
        #expect(early?.code == .unreadable)
        _ = try storage.load()
        storage.close()
        let late = #expect(throws: StorageError.self) { try storage.checkpoint(SettingTree(), for: .resting) }
        #expect(late?.code == .closed)
        #expect(try fixture.names().isEmpty)
    }
}

private struct TokenSettings: SettingsGroup {
    @Setting var token = Secret("")
}

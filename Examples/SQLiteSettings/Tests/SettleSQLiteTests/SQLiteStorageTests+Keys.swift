import Foundation
import GRDB
import Settle
import SettleTesting
import Testing

@testable import SettleSQLite

/// Keys within the values of others.
extension SQLiteStorageTests {
    /// The values that a storage has once it has read the changes after a position.
    private func followed(
        _ values: SettingValue.Entries, from position: StoragePosition, by storage: SQLiteStorage
    ) async throws -> SettingValue.Entries {
        var tree = SettingTree(values)
        for change in try await storage.changes(after: position).changes { change.apply(to: &tree) }
        return tree.root
    }

    /// The values that a new storage loads.
    private func stored(in folder: URL) async throws -> SettingValue.Entries {
        let (storage, contents) = try await loaded(folder)
        await storage.close()
        return contents.tree.root
    }

    @Test("A row within the value of another one is newer and counts, and every store learns of it")
    func keysWithin() async throws {
        try await withTwoStorages { first, second, start, folder in
            let whole = SettingValue.dictionary(["x": .integer(1), "y": .integer(1)])
            _ = try await first.append(batch(1, ["a": whole]), durability: .synced)
            _ = try await second.append(batch(1, ["a.x": .integer(2)], store: 2), durability: .synced)
            let changed = SettingValue.dictionary(["x": .integer(2), "y": .integer(1)])
            let firsts = try await first.changes(after: start.position).changes
            #expect(firsts.map(\.content) == [.values(["a.x": .integer(2)])])
            let seconds = try await second.changes(after: start.position).changes
            #expect(seconds.map(\.content) == [.values(["a": changed])])
            #expect(try await stored(in: folder) == ["a": changed])
            _ = try await second.append(batch(2, ["a": whole], store: 2), durability: .synced)
            #expect(try await stored(in: folder) == ["a": whole])
        }
    }

    @Test("A key that is written as a whole, or removed, leaves no rows within it", arguments: [false, true])
    func rowsWithin(isUnseen: Bool) async throws {
        try await withTemporaryFolder { folder in
            let (first, _) = try await loaded(folder)
            let (second, _) = try await loaded(folder)
            let inner: [SettingKey: SettingValue?] = ["a.x": .integer(1), "b.x.y": .integer(1)]
            _ = try await (isUnseen ? second : first).append(batch(1, inner, store: 2), durability: .synced)
            var whole = batch(2, ["a": .integer(2), "b": nil])
            if !isUnseen {
                let within = SettingValue.dictionary(["y": .integer(1)])
                whole.expectedValues = ["a": .dictionary(["x": .integer(1)]), "b": .dictionary(["x": within])]
            }
            _ = try await first.append(whole, durability: .synced)
            let keys = try await pool(folder).read { database in
                try String.fetchAll(database, sql: "SELECT key FROM settings ORDER BY key")
            }
            #expect(keys == ["a", "b"])
            let (third, contents) = try await loaded(folder)
            #expect(contents.tree.root == ["a": .integer(2)])
            for storage in [first, second, third] { await storage.close() }
        }
    }

    @Test("An older row within a value does not count") func olderRowWithin() async throws {
        try await withTemporaryFolder { folder in
            let (first, _) = try await loaded(folder)
            let inner = SettingValue.dictionary(["c": .integer(1), "d": .integer(1)])
            // The second batch does not say that it replaces something, so the row of the first one stays.
            let batches: [[SettingKey: SettingValue?]] = [
                ["a.b": .string("old")], ["a": .dictionary(["b": inner])], ["a.b.c": .integer(2)],
            ]
            for (number, values) in batches.enumerated() {
                _ = try await first.append(batch(UInt64(number), values), durability: .synced)
            }
            let (second, contents) = try await loaded(folder)
            let expected = SettingValue.dictionary(["c": .integer(2), "d": .integer(1)])
            #expect(contents.tree.root == ["a": .dictionary(["b": expected])])
            for storage in [first, second] { await storage.close() }
        }
    }

    @Test("A key that a storage writes within one that others have removed stays written")
    func writtenAfterRemoval() async throws {
        try await withTwoStorages { first, second, _, folder in
            let known = try await first.append(batch(1, ["a.b": .integer(0)]), durability: .synced).position
            _ = try await second.append(batch(1, ["a": nil], store: 2), durability: .synced)
            let receipt = try await first.append(batch(2, ["a.b": .integer(1)]), durability: .synced)
            #expect(receipt.hasExternalChanges)
            let expected: SettingValue.Entries = ["a": .dictionary(["b": .integer(1)])]
            #expect(try await followed(expected, from: known, by: first) == expected)
            #expect(try await stored(in: folder) == expected)
        }
    }

    @Test("What a value within it has replaced never comes back, for any storage")
    func replacedByInnerValue() async throws {
        try await withTwoStorages { first, second, _, folder in
            let start: SettingValue.Entries = ["a": .string("x"), "b": .dictionary(["x": .integer(1)])]
            let whole = batch(1, ["a": start["a"], "b": start["b"]])
            let known = try await first.append(whole, durability: .synced).position
            let inner: [SettingKey: SettingValue?] = ["a.y": .integer(2), "b.x.y": .integer(2)]
            _ = try await second.append(batch(1, inner, store: 2), durability: .synced)
            let removed: [SettingKey: SettingValue?] = ["a.y": nil, "b.x.y": nil]
            _ = try await second.append(batch(2, removed, store: 2), durability: .synced)
            #expect(try await followed(start, from: known, by: first).isEmpty)
            #expect(try await stored(in: folder).isEmpty)
        }
    }

    @Test("A storage learns of others' values that it has itself replaced with one within them")
    func replacedUnseen() async throws {
        try await withTwoStorages { first, second, _, folder in
            let known = try await first.append(batch(1, ["a.z": .integer(1)]), durability: .synced).position
            _ = try await second.append(batch(1, ["a": .integer(5)], store: 2), durability: .synced)
            _ = try await first.append(batch(2, ["a.x": .integer(2)]), durability: .synced)
            let expected: SettingValue.Entries = ["a": .dictionary(["x": .integer(2)])]
            let own: SettingValue.Entries = ["a": .dictionary(["x": .integer(2), "z": .integer(1)])]
            #expect(try await followed(own, from: known, by: first) == expected)
            #expect(try await stored(in: folder) == expected)
        }
    }
}

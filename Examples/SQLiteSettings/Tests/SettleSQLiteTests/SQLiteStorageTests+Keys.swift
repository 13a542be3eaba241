import GRDB
import Settle
import SettleTesting
import Testing

@testable import SettleSQLite

/// Keys within the values of others.
extension SQLiteStorageTests {
    @Test("A row within the value of another one is newer and counts, and every store learns of it")
    func keysWithin() async throws {
        try await withTemporaryFolder { folder in
            let (first, start) = try await loaded(folder)
            let (second, _) = try await loaded(folder)
            let whole = SettingValue.dictionary(["x": .integer(1), "y": .integer(1)])
            _ = try await first.append(batch(1, ["a": whole]), durability: .synced)
            _ = try await second.append(batch(1, ["a.x": .integer(2)], store: 2), durability: .synced)
            let changed = SettingValue.dictionary(["x": .integer(2), "y": .integer(1)])
            let firsts = try await first.changes(after: start.position).changes
            #expect(firsts.map(\.content) == [.values(["a.x": .integer(2)])])
            let seconds = try await second.changes(after: start.position).changes
            #expect(seconds.map(\.content) == [.values(["a": changed])])
            let (third, contents) = try await loaded(folder)
            #expect(contents.tree.root == ["a": changed])
            _ = try await second.append(batch(2, ["a": whole], store: 2), durability: .synced)
            let (fourth, replaced) = try await loaded(folder)
            #expect(replaced.tree.root == ["a": whole])
            for storage in [first, second, third, fourth] { await storage.close() }
        }
    }

    @Test("A key that a storage writes within one that others have removed stays written")
    func writtenAfterRemoval() async throws {
        try await withTemporaryFolder { folder in
            let (first, _) = try await loaded(folder)
            let (second, _) = try await loaded(folder)
            let known = try await first.append(batch(1, ["a.b": .integer(0)]), durability: .synced).position
            _ = try await second.append(batch(1, ["a": nil], store: 2), durability: .synced)
            let receipt = try await first.append(batch(2, ["a.b": .integer(1)]), durability: .synced)
            #expect(receipt.hasExternalChanges)
            let expected: SettingValue.Entries = ["a": .dictionary(["b": .integer(1)])]
            var tree = SettingTree(expected)
            for change in try await first.changes(after: known).changes { change.apply(to: &tree) }
            #expect(tree.root == expected)
            let (third, contents) = try await loaded(folder)
            #expect(contents.tree.root == expected)
            for storage in [first, second, third] { await storage.close() }
        }
    }

    @Test("What a value within it has replaced never comes back, for any storage")
    func replacedByInnerValue() async throws {
        try await withTemporaryFolder { folder in
            let (first, _) = try await loaded(folder)
            let (second, _) = try await loaded(folder)
            let start: SettingValue.Entries = ["a": .string("x"), "b": .dictionary(["x": .integer(1)])]
            let whole = batch(1, ["a": start["a"], "b": start["b"]])
            let known = try await first.append(whole, durability: .synced).position
            let inner: [SettingKey: SettingValue?] = ["a.y": .integer(2), "b.x.y": .integer(2)]
            _ = try await second.append(batch(1, inner, store: 2), durability: .synced)
            let removed: [SettingKey: SettingValue?] = ["a.y": nil, "b.x.y": nil]
            _ = try await second.append(batch(2, removed, store: 2), durability: .synced)
            var tree = SettingTree(start)
            for change in try await first.changes(after: known).changes { change.apply(to: &tree) }
            #expect(tree.root.isEmpty)
            let (third, contents) = try await loaded(folder)
            #expect(contents.tree.root.isEmpty)
            for storage in [first, second, third] { await storage.close() }
        }
    }

    @Test("A storage learns of others' values that it has itself replaced with one within them")
    func replacedUnseen() async throws {
        try await withTemporaryFolder { folder in
            let (first, _) = try await loaded(folder)
            let (second, _) = try await loaded(folder)
            let known = try await first.append(batch(1, ["a.z": .integer(1)]), durability: .synced).position
            _ = try await second.append(batch(1, ["a": .integer(5)], store: 2), durability: .synced)
            _ = try await first.append(batch(2, ["a.x": .integer(2)]), durability: .synced)
            let expected: SettingValue.Entries = ["a": .dictionary(["x": .integer(2)])]
            var tree = SettingTree(["a": .dictionary(["x": .integer(2), "z": .integer(1)])])
            for change in try await first.changes(after: known).changes { change.apply(to: &tree) }
            #expect(tree.root == expected)
            let (third, contents) = try await loaded(folder)
            #expect(contents.tree.root == expected)
            for storage in [first, second, third] { await storage.close() }
        }
    }
}

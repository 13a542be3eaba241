import GRDB
import Settle
import SettleTesting
import Testing

@testable import SettleSQLite

/// Batches whose outcome is unknown, and which batches are the storage's own.
extension SQLiteStorageTests {
    @Test("After a failed sync, no connection finds the batch, and its repetition stores it once")
    func failedSync() async throws {
        try await withTwoStorages { first, second, start, _ in
            let commits = FailingCommits()
            first.writer.add(transactionObserver: commits)
            var failed = batch(1, ["a": .integer(1)])
            failed.conditions = [.at(start.position)]
            for _ in 1...2 {
                let error = await #expect(throws: StorageError.self) {
                    try await first.append(failed, durability: .synced)
                }
                #expect(error?.code == .writeFailed && error?.isOutcomeUnknown == true)
                #expect(try await second.changes(after: start.position).changes == [])
            }
            commits.heal()
            // The second one is recognised.
            for _ in 1...2 { _ = try await first.append(failed, durability: .synced) }
            let changes = try await second.changes(after: start.position)
            #expect(changes.changes.map(\.content) == [.values(["a": .integer(1)])])
            #expect(changes.position == StoragePosition(UInt64(1)))
        }
    }

    @Test("A repetition after a failed sync is refused if others were faster")
    func fasterThanRepetition() async throws {
        try await withTwoStorages { first, second, start, _ in
            let commits = FailingCommits()
            first.writer.add(transactionObserver: commits)
            var failed = batch(1, ["a": .integer(1)])
            failed.conditions = [.at(start.position)]
            await #expect(throws: StorageError.self) { try await first.append(failed, durability: .synced) }
            commits.heal()
            _ = try await second.append(batch(1, ["a": .integer(2)], store: 2), durability: .synced)
            let error = await #expect(throws: StorageError.self) {
                try await first.append(failed, durability: .synced)
            }
            #expect(error?.code == .conflict && error?.isOutcomeUnknown == false)
            let changes = try await first.changes(after: start.position).changes
            #expect(changes.map(\.content) == [.values(["a": .integer(2)])])
        }
    }

    @Test("Own batches between those of others are not reported, whatever was returned before")
    func ownBetweenOthers() async throws {
        try await withTwoStorages { first, second, start, _ in
            var (tree, position) = (start.tree, start.position)
            for number in 1...4 {
                let own: [SettingKey: SettingValue?] = ["a": .integer(Int64(number))]
                _ = try await first.append(batch(UInt64(2 * number), own), durability: .synced)
                let others: [SettingKey: SettingValue?] = [.path("b\(number)"): .integer(1)]
                _ = try await second.append(batch(UInt64(number), others, store: 2), durability: .synced)
                let later: [SettingKey: SettingValue?] = ["c": .integer(Int64(number))]
                let receipt = try await first.append(batch(UInt64(2 * number + 1), later), durability: .synced)
                #expect(receipt.hasExternalChanges)
                if number == 1 { continue }
                let found = try await first.changes(after: position)
                for change in found.changes { change.apply(to: &tree) }
                position = found.position
                #expect(Set(tree.root.keys) == Set((1...number).map { "b\($0)" }))
            }
        }
    }
}

import Settle

/// The conditions that must hold when a batch is stored.
extension StorageConformance {
    var conditionChecks: [PairCheck] {
        [
            ("A batch on the condition of a position is stored only there", appendsAtPosition),
            ("A batch without values is refused, too, if its condition does not hold", checksWithoutValues),
            ("No change is lost when two storages append at once on the condition of a position", losesNoChange),
            ("A repeated batch is recognised before its conditions are checked", recognisesBeforeConditions),
            ("A batch on the condition of known migrations is stored only if there is no other one", checksMigrations),
        ]
    }

    private func appendsAtPosition(_ pair: Pair) async throws {
        let first = try await pair.first.append(
            batch(2, ["a": .integer(1)], [.at(pair.position)]), durability: .synced)
        try await append(["a": .integer(2)], to: pair.second, .synced)
        try await expectError(.conflict, of: "an append at an earlier position") {
            _ = try await pair.first.append(
                batch(3, ["a": .integer(3)], [.at(first.position)]), durability: .synced)
        }
        try await expect(pair.second, toHave: ["start": .integer(0), "a": .integer(2)])
        let position = try await pair.first.changes(after: first.position).position
        _ = try await pair.first.append(batch(4, ["a": .integer(4)], [.at(position)]), durability: .synced)
        try await expect(pair.second, toHave: ["start": .integer(0), "a": .integer(4)])
    }

    /// Appends as a store does for a commit that has read something and changed nothing.
    private func checksWithoutValues(_ pair: Pair) async throws {
        _ = try await pair.first.append(batch(2, [:], [.at(pair.position)]), durability: .synced)
        try await append(["a": .integer(1)], to: pair.second, .synced)
        try await expectError(.conflict, of: "an append of no values at an earlier position") {
            _ = try await pair.first.append(batch(3, [:], [.at(pair.position)]), durability: .synced)
        }
    }

    /// Checks that of two batches that have read the same, only one is stored. A storage that compares and stores in
    /// two steps stores both.
    private func losesNoChange(_ pair: Pair) async throws {
        let count: Int64 = 50
        for _ in 0..<count {
            let known = (try await pair.first.load(), try await pair.second.load())
            async let first: Void = pair.first.addOne(knowing: known.0)
            async let second: Void = pair.second.addOne(knowing: known.1)
            _ = try await (first, second)
        }
        try await expect(pair.second, toHave: ["start": .integer(2 * count)])
    }

    private func recognisesBeforeConditions(_ pair: Pair) async throws {
        let repeated = batch(2, ["a": .integer(1)], [.at(pair.position)])
        _ = try await pair.first.append(repeated, durability: .synced)
        try await append(["a": .integer(2), "b": .integer(2)], to: pair.second, .synced)
        // A store does this if the answer was lost.
        _ = try await pair.first.append(repeated, durability: .synced)
        try await expect(pair.second, toHave: ["start": .integer(0), "a": .integer(2), "b": .integer(2)])
    }

    private func checksMigrations(_ pair: Pair) async throws {
        var (record, migrated) = (MigrationRecord(), SettingTree())
        record.add(["one"])
        record.put(into: &migrated)
        let values = migrated.root.map { (SettingKey.path($0), SettingValue?.some($1)) }
        try await append(Dictionary(uniqueKeysWithValues: values), to: pair.second, .synced)
        try await expectError(.migrated, of: "an append that does not know of a migration") {
            _ = try await pair.first.append(
                batch(2, ["a": .integer(1)], [.migrated(within: ["another"])]), durability: .synced)
        }
        _ = try await pair.first.append(
            batch(3, ["b": .integer(1)], [.migrated(within: ["another", "one"])]), durability: .synced)
        migrated.root["start"] = .integer(0)
        migrated.root["b"] = .integer(1)
        try await expect(pair.second, toHave: migrated.root)
    }
}

extension StorageConformance.Opened {
    /// Adds 1 to the value that was read. When others were faster, reads again and adds 1 to that value.
    fileprivate func addOne(knowing contents: StorageContents) async throws {
        var contents = contents
        for revision in 2..<UInt64(1_000) {
            guard case .integer(let count)? = contents.tree["start"] else { break }
            let batch = StorageBatch(
                revision: revision, values: ["start": .integer(count + 1)], conditions: [.at(contents.position)])
            do throws(StorageError) {
                _ = try await append(batch, durability: .buffered)
                return
            } catch {
                guard error.code == .conflict || error.code == .locked else { throw error }
                await Task.yield()
                contents = try await load()
            }
        }
        throw StorageConformance.Mismatch("nothing could be added to \(contents.tree.root)")
    }
}

import Settle

/// The net result of several changes of others.
extension StorageConformance {
    var changeChecks: [PairCheck] {
        [
            ("Several external changes are reported in their order", tellsInOrder),
            ("No external change is left out, including those that come later", tellsAll),
            ("The position of a load is not newer than its values", loadsAtItsPosition),
        ]
    }

    private func tellsInOrder(_ pair: Pair) async throws {
        let batches: [[SettingKey: SettingValue?]] = [
            ["a": .integer(1), "b": .integer(1)], ["a": .integer(2), "b": nil], ["a": .integer(3)],
        ]
        for values in batches { try await append(values, to: pair.second) }
        var known = SettingTree(["start": .integer(0)])
        _ = try await merge(pair, into: &known)
        try expect(known, ["start": .integer(0), "a": .integer(3)])
    }

    private func tellsAll(_ pair: Pair) async throws {
        var (known, position) = (SettingTree(["start": .integer(0)]), pair.position)
        var expected = known.root
        for names in [["a", "b", "c"], ["d", "e"], ["f"]] {
            for name in names {
                try await append([.path(name): .integer(1)], to: pair.second)
                expected[name] = .integer(1)
            }
            position = try await merge(pair, into: &known, after: position)
            try expect(known, expected)
        }
    }

    /// Checks that a load's position matches its values: a batch stored between the two would be in neither the load
    /// nor the changes after it.
    private func loadsAtItsPosition(_ pair: Pair) async throws {
        let (writer, reader) = (pair.first, pair.second)
        let keys: [SettingKey] = ["a", "b", "c", "d", "e", "f", "g", "h"]
        let meanwhile = LockedValue((loads: 0, written: Int64(0), isWritten: false))
        try await withThrowingTaskGroup { group in
            group.addTask {
                defer { meanwhile.withLock { $0.isWritten = true } }
                while meanwhile.withLock({ $0.written < 100 || $0.loads < 10 }) {
                    let next = meanwhile.withLock { $0.written } + 1
                    let batch = StorageBatch(
                        revision: UInt64(next), values: [keys[Int(next) % keys.count]: .integer(next)])
                    _ = try await writer.append(batch, durability: .buffered)
                    meanwhile.withLock { $0.written = next }
                    await Task.yield()
                }
            }
            group.addTask {
                // A load that fails ends the writing too.
                defer { meanwhile.withLock { $0.loads = .max } }
                while !meanwhile.withLock({ $0.isWritten }) {
                    let contents = try await reader.load()
                    let written = meanwhile.withLock { $0.written }
                    var tree = contents.tree
                    for change in try await reader.changes(after: contents.position).changes { change.apply(to: &tree) }
                    for number in max(1, written - Int64(keys.count) + 1)...max(1, written) where written > 0 {
                        guard case .integer(let found)? = tree[keys[Int(number) % keys.count]], found >= number else {
                            throw Mismatch("change \(number) is neither in a load nor in the changes after it")
                        }
                    }
                    meanwhile.withLock { $0.loads += 1 }
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
    }
}

import Settle

/// The values that a single storage has to keep.
extension StorageConformance {
    var storingChecks: [Check] {
        [
            Check(promise: "A new storage is absent and empty", run: startsAbsent),
            Check(promise: "Nothing can be appended before the first load", run: refusesEarlyAppends),
            Check(promise: "An appended value is loaded", run: loadsWhatWasAppended),
            Check(promise: "A second load finds the same values", run: loadsTwice),
            Check(promise: "A key whose value is nil is no longer stored", run: removes),
            Check(promise: "Dotted keys nest, and neighbours stay", run: nests),
            Check(promise: "Keys that a later batch does not name stay", run: keepsOtherKeys),
            Check(promise: "A later batch wins", run: laterBatchWins),
            Check(promise: "A batch that names many keys is stored whole", run: storesLargeBatch),
            Check(
                promise: "If one value of a batch is refused, nothing of it is stored",
                run: storesNothingOfARefusedBatch),
            Check(promise: "A batch that is appended again is stored once", run: storesRepeatedBatchOnce),
            Check(promise: "Batches that are appended at once are all stored", run: storesBatchesAtOnce),
            Check(promise: "An empty batch changes nothing", run: ignoresEmptyBatch),
            Check(promise: "An empty batch does not make an absent storage present", run: staysAbsent),
            Check(promise: "A synced batch, even an empty one, is synced with all before it", run: syncsEarlierBatches),
            Check(promise: "A checkpoint changes no value", run: checkpointKeepsValues),
            Check(promise: "A storage that closes does nothing after its checkpoint", run: restsAtClosing),
            Check(promise: "A closed storage throws `closed`", run: throwsOnceClosed),
        ]
    }

    var valueChecks: [Check] {
        let others = Self.everyKindOfValue.filter { !values.contains($0) }
        return values.map { value in
            Check(promise: Self.promise(of: value)) { try await roundTrips(value, $0) }
        }
            + others.map { value in
                Check(promise: Self.promise(of: value)) { _ in throw LeftOut("`values` leaves it out") }
            }
    }

    private static func promise(of value: SettingValue) -> String { "The value \(value) comes back as it was" }

    private func startsAbsent(_ number: Int) async throws {
        let storage = try await made(number)
        let contents = try await storage.load()
        guard contents.outcome == .absent, contents.tree.root.isEmpty else {
            throw Mismatch("found \(contents.outcome), \(contents.tree.root)")
        }
        await storage.close()
    }

    private func refusesEarlyAppends(_ number: Int) async throws {
        let storage = try await made(number)
        try await expectError(of: "an append before the first load") {
            try await append(["a": .integer(1)], to: storage)
        }
        guard try await storage.load().outcome == .absent else { throw Mismatch("something was stored") }
        try await append(["a": .integer(2)], to: storage)
        try await expectAfterReopening(storage, number, ["a": .integer(2)])
    }

    private func loadsWhatWasAppended(_ number: Int) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1)], to: storage)
        try await append(["b": .string("two")], to: storage, .synced)
        try await expectAfterReopening(storage, number, ["a": .integer(1), "b": .string("two")])
    }

    private func loadsTwice(_ number: Int) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1)], to: storage)
        try await expect(storage, toHave: ["a": .integer(1)])
        try await expect(storage, toHave: ["a": .integer(1)])
        await storage.close()
    }

    private func removes(_ number: Int) async throws {
        try await check(
            number, [["a": .integer(1), "b": .integer(2), "g.x": .integer(3)], ["a": nil, "g.x": nil]],
            resultIn: ["b": .integer(2)])
    }

    private func nests(_ number: Int) async throws {
        try await check(
            number, [["g.x": .integer(1), "g.h.y": .integer(2)], ["g.h.z": .integer(3)]],
            resultIn: [
                "g": .dictionary(["x": .integer(1), "h": .dictionary(["y": .integer(2), "z": .integer(3)])])
            ])
    }

    private func keepsOtherKeys(_ number: Int) async throws {
        try await check(
            number, [["unknown": .dictionary(["deep": .array([.integer(1)])])], ["known": .bool(true)]],
            resultIn: ["unknown": .dictionary(["deep": .array([.integer(1)])]), "known": .bool(true)])
    }

    private func laterBatchWins(_ number: Int) async throws {
        try await check(
            number, [["a": .integer(1)], ["a": .integer(2)], ["a": .integer(3), "b": .integer(3)]],
            resultIn: ["a": .integer(3), "b": .integer(3)])
    }

    private func storesLargeBatch(_ number: Int) async throws {
        let storage = try await opened(number)
        let (count, limit) = (min(1_000, storage.limits.keys ?? .max), storage.limits.bytes ?? .max)
        await storage.close()
        var (values, size): ([SettingKey: SettingValue?], Int) = ([:], 0)
        var expected: SettingValue.Entries = [:]
        for index in 0..<count {
            let value = SettingValue.string(String(repeating: "x", count: index))
            size += value.roughSize
            guard size <= limit else { break }
            values[.path("key\(index)")] = value
            expected["key\(index)"] = value
        }
        let again = try await reopened(number, storage)
        _ = try await again.load()
        try await append(values, to: again)
        try await expect(again, toHave: expected)
        try await expectAfterReopening(again, number, expected)
    }

    /// Checks a refused batch. A storage that stores value by value has stored some when it reaches the value that it
    /// can't store.
    private func storesNothingOfARefusedBatch(_ number: Int) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1), "z": .integer(1)], to: storage, .synced)
        var deep = SettingValue.integer(2)
        for _ in 0..<300 { deep = .array([deep]) }
        let refused = batch(2, ["a": .integer(2), "m": deep, "z": .integer(2)])
        do {
            _ = try await storage.append(refused, durability: .synced)
        } catch {
            try await expect(storage, toHave: ["a": .integer(1), "z": .integer(1)])
            return try await expectAfterReopening(storage, number, ["a": .integer(1), "z": .integer(1)])
        }
        try await expectAfterReopening(
            storage, number, ["a": .integer(2), "m": deep, "z": .integer(2)])
    }

    private func storesRepeatedBatchOnce(_ number: Int) async throws {
        let storage = try await opened(number)
        let repeated = batch(1, ["a": .integer(1)])
        _ = try await storage.append(repeated, durability: .buffered)
        _ = try await storage.append(repeated, durability: .synced)
        try await expectAfterReopening(storage, number, ["a": .integer(1)])
    }

    private func storesBatchesAtOnce(_ number: Int) async throws {
        let storage = try await opened(number)
        try await withThrowingTaskGroup { group in
            for index in 1...20 {
                let batch = batch(UInt64(index), [.path("key\(index)"): .integer(Int64(index))])
                group.addTask { _ = try await storage.append(batch, durability: index % 5 == 0 ? .synced : .buffered) }
            }
            group.addTask { _ = try storage.check(.integer(1), at: "key1") }
            group.addTask { _ = storage.keptValues(forKey: "key1", insteadOf: nil) }
            try await group.waitForAll()
        }
        var expected: SettingValue.Entries = [:]
        for index in 1...20 { expected["key\(index)"] = .integer(Int64(index)) }
        try await expectAfterReopening(storage, number, expected)
    }

    private func ignoresEmptyBatch(_ number: Int) async throws {
        try await check(number, [["a": .integer(1)], [:]], resultIn: ["a": .integer(1)])
    }

    private func staysAbsent(_ number: Int) async throws {
        let storage = try await opened(number)
        try await append([:], to: storage)
        await storage.close()
        let again = try await reopened(number, storage)
        let contents = try await again.load()
        await again.close()
        guard contents.outcome == .absent else { throw Mismatch("found \(contents.outcome)") }
    }

    private func syncsEarlierBatches(_ number: Int) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1)], to: storage)
        for values in [["a": .integer(1)], [:], [:]] as [[SettingKey: SettingValue?]] {
            let durability = try await append(values, to: storage, .synced).durability
            guard durability == .synced else { throw Mismatch("the receipt says that it is \(durability)") }
        }
        try await expectAfterReopening(storage, number, ["a": .integer(1)])
    }

    private func checkpointKeepsValues(_ number: Int) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1)], to: storage)
        _ = try await storage.bringToRest(SettingTree(["a": .integer(1)]), for: .settled)
        try await expect(storage, toHave: ["a": .integer(1)])
        try await expectAfterReopening(storage, number, ["a": .integer(1)])
    }

    private func restsAtClosing(_ number: Int) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1)], to: storage)
        let tree = SettingTree(["a": .integer(1)])
        _ = try await storage.bringToRest(tree, for: .settled)
        _ = try await storage.bringToRest(tree, for: .resting)
        guard try await storage.bringToRest(tree, for: .closing) else { throw Mismatch("it was not at rest") }
        try await expectAfterReopening(storage, number, ["a": .integer(1)])
    }

    private func throwsOnceClosed(_ number: Int) async throws {
        let storage = try await opened(number)
        await storage.close()
        try await expectError(.closed, of: "load") { _ = try await storage.load() }
        try await expectError(.closed, of: "append") { try await append(["a": .integer(1)], to: storage) }
        try await expectError(.closed, of: "checkpoint") {
            _ = try await storage.bringToRest(SettingTree(), for: .settled)
        }
    }

    private func roundTrips(_ value: SettingValue, _ number: Int) async throws {
        try await check(
            number, [["top": value, "group.inner": value]],
            resultIn: ["top": value, "group": .dictionary(["inner": value])])
    }
}

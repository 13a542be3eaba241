import Settle

/// What a storage keeps beside the stored values, and how much it can store at once.
extension StorageConformance {
    var keepingChecks: [Check] {
        [
            Check(
                promise: "A last good value is found after another load, until its key is written",
                run: keepsValuesInForce),
            Check(
                promise: "Values preserved while they can't be appended survive the end of the process",
                run: preservesWaiting),
            Check(
                promise: "Preserved values replace those preserved before, until they are appended",
                run: replacesWhatIsPreserved),
            Check(promise: "A batch with as many bytes as the limits allow is stored whole", run: storesAllowedBytes),
        ]
    }

    private func keepsValuesInForce(_ number: Int) async throws {
        let storage = try await opened(number)
        guard storage.isCheckpointing else {
            await storage.close()
            throw LeftOut("it is no `CheckpointingStorage`")
        }
        let stored = SettingValue.string("odd")
        try await append(["a": stored, "b": stored], to: storage, .synced)
        try await storage.keep(["a": .integer(1), "b": .integer(1)])
        // The stored value at this key can be used after all.
        try await storage.keep(["b": nil])
        try expectKept(["a": true, "b": false], in: storage)
        await storage.close()
        let second = try await reopened(number, storage)
        try await expect(second, toHave: ["a": stored, "b": stored])
        try expectKept(["a": true, "b": false], in: second)
        try await append(["a": .string("even")], to: second, .synced)
        try expectKept(["a": false, "b": false], in: second)
        await second.close()
        let third = try await reopened(number, second)
        try await expect(third, toHave: ["a": .string("even"), "b": stored])
        try expectKept(["a": false, "b": false], in: third)
        await third.close()
    }

    /// - Parameter expected: Whether the value 1 is kept, by key.
    private func expectKept(_ expected: [SettingKey: Bool], in storage: Opened) throws {
        for (key, isKept) in expected {
            let kept = storage.keptValues(forKey: key, insteadOf: .string("odd"))
            guard kept.contains(.integer(1)) != isKept else { continue }
            throw Mismatch("at “\(key)” it has kept \(kept)")
        }
    }

    private func preservesWaiting(_ number: Int) async throws {
        let storage = try await openedToPreserve(number)
        await storage.preserve(batch(2, ["a": .integer(2), "b": .integer(2)]))
        try await expectAfterReopening(storage, number, ["a": .integer(2), "b": .integer(2), "c": .integer(1)])
    }

    private func replacesWhatIsPreserved(_ number: Int) async throws {
        let storage = try await openedToPreserve(number)
        await storage.preserve(batch(2, ["a": .integer(2)]))
        await storage.preserve(batch(3, ["b": .integer(3)]))
        try await append(["b": .integer(3)], to: storage, .synced, revision: 3)
        try await append(["b": .integer(4)], to: storage, .synced, revision: 4)
        try await expectAfterReopening(storage, number, ["a": .integer(1), "b": .integer(4), "c": .integer(1)])
    }

    private func openedToPreserve(_ number: Int) async throws -> Opened {
        let storage = try await opened(number)
        guard storage.preservesWaiting else {
            await storage.close()
            throw LeftOut("it preserves nothing")
        }
        try await append(["a": .integer(1), "c": .integer(1)], to: storage, .synced)
        return storage
    }

    /// Larger limits would take too long to reach.
    private static let mostBytes = 16 << 20

    private func storesAllowedBytes(_ number: Int) async throws {
        let storage = try await opened(number)
        let count = min(4, storage.limits.keys ?? .max)
        guard let limit = storage.limits.bytes, limit <= Self.mostBytes, count > 0 else {
            await storage.close()
            throw LeftOut("its limits have no bytes, or too many to try out")
        }
        let room = SettingValue.string("").roughSize
        let value = SettingValue.string(String(repeating: "x", count: max(0, limit / count - room)))
        var (values, expected): ([SettingKey: SettingValue?], SettingValue.Entries) = ([:], [:])
        for index in 0..<count {
            values[.path("key\(index)")] = value
            expected["key\(index)"] = value
        }
        try await append(values, to: storage, .synced)
        await storage.close()
        let again = try await reopened(number, storage)
        let found = try await again.load().tree.root
        await again.close()
        // Not the values themselves: the report would be unreadable.
        guard found == expected else { throw Mismatch("of \(count) values with \(limit) bytes, others were found") }
    }
}

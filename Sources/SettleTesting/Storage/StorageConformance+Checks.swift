import Settle

extension StorageConformance {
    struct Check {
        let promise: String
        let run: (_ number: Int) throws -> Void
    }

    var checks: [Check] {
        var checks = [
            Check(promise: "A new storage is absent and empty", run: startsAbsent),
            Check(promise: "What was appended is loaded", run: loadsWhatWasAppended),
            Check(promise: "A second load finds the same", run: loadsTwice),
            Check(promise: "A key whose value is nil is stored no longer", run: removes),
            Check(promise: "Dotted keys nest, and neighbours stay", run: nests),
            Check(promise: "Keys that a later batch does not name are kept", run: keepsOtherKeys),
            Check(promise: "A later batch wins", run: laterBatchWins),
            Check(promise: "A batch that names many keys is stored whole", run: storesLargeBatch),
            Check(promise: "An empty batch changes nothing", run: ignoresEmptyBatch),
            Check(promise: "An empty batch does not make an absent storage present", run: staysAbsent),
            Check(promise: "An empty stable batch after others keeps them", run: stabilizesEarlierBatches),
            Check(promise: "A checkpoint changes no value", run: checkpointKeepsValues),
            Check(promise: "A storage that closes is at rest after its checkpoint", run: restsAtClosing),
            Check(promise: "Under its own lock a storage can append", run: appendsUnderLock),
            Check(promise: "A name that was given up can be reserved again", run: reservesAgain),
            Check(promise: "A closed storage throws `closed`", run: throwsOnceClosed),
        ]
        checks += values.map { value in
            Check(promise: "The value \(value) comes back as it was") { try roundTrips(value, $0) }
        }
        if let setFailing {
            checks += [
                Check(promise: "After a failed append the old values are there") {
                    try keepsOldValues($0, setFailing)
                },
                Check(promise: "A failed batch can be appended again") { try appendsAgain($0, setFailing) },
                Check(promise: "A failed batch can be appended merged with a later one") {
                    try appendsMerged($0, setFailing)
                },
            ]
        }
        if let makeOther { checks += othersChecks(makeOther) }
        return checks
    }

    private func startsAbsent(_ number: Int) throws {
        let storage = try makeStorage(number)
        defer { storage.close() }
        let contents = try storage.load()
        try expect(contents, StorageContents(outcome: .absent))
    }

    private func loadsWhatWasAppended(_ number: Int) throws {
        let storage = try opened(number)
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        try storage.append(batch(2, ["b": .string("two")]), durability: .synced)
        storage.close()
        let again = try reopen(number, storage)
        defer { again.close() }
        try expect(again.load(), intact(["a": .integer(1), "b": .string("two")]))
    }

    private func loadsTwice(_ number: Int) throws {
        let storage = try opened(number)
        defer { storage.close() }
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        try expect(storage.load(), intact(["a": .integer(1)]))
        try expect(storage.load(), intact(["a": .integer(1)]))
    }

    private func removes(_ number: Int) throws {
        try check(
            number, [["a": .integer(1), "b": .integer(2), "g.x": .integer(3)], ["a": nil, "g.x": nil]],
            resultIn: ["b": .integer(2)])
    }

    private func nests(_ number: Int) throws {
        try check(
            number, [["g.x": .integer(1), "g.h.y": .integer(2)], ["g.h.z": .integer(3)]],
            resultIn: [
                "g": .dictionary(["x": .integer(1), "h": .dictionary(["y": .integer(2), "z": .integer(3)])])
            ])
    }

    private func keepsOtherKeys(_ number: Int) throws {
        try check(
            number, [["unknown": .dictionary(["deep": .array([.integer(1)])])], ["known": .bool(true)]],
            resultIn: ["unknown": .dictionary(["deep": .array([.integer(1)])]), "known": .bool(true)])
    }

    private func laterBatchWins(_ number: Int) throws {
        try check(
            number, [["a": .integer(1)], ["a": .integer(2)], ["a": .integer(3), "b": .integer(3)]],
            resultIn: ["a": .integer(3), "b": .integer(3)])
    }

    private func storesLargeBatch(_ number: Int) throws {
        var values: [SettingKey: SettingValue?] = [:]
        var expected: SettingValue.Entries = [:]
        for index in 0..<1_000 {
            let value = SettingValue.string(String(repeating: "x", count: index))
            values[.path("key\(index)")] = value
            expected["key\(index)"] = value
        }
        try check(number, [values], resultIn: expected)
    }

    private func ignoresEmptyBatch(_ number: Int) throws {
        try check(number, [["a": .integer(1)], [:], [:]], resultIn: ["a": .integer(1)])
    }

    private func staysAbsent(_ number: Int) throws {
        let storage = try opened(number)
        try storage.append(batch(1, [:]), durability: .synced)
        _ = try storage.checkpoint(SettingTree(), at: .settled)
        storage.close()
        let again = try reopen(number, storage)
        defer { again.close() }
        try expect(again.load(), StorageContents(outcome: .absent))
    }

    private func stabilizesEarlierBatches(_ number: Int) throws {
        let storage = try opened(number)
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        try storage.append(batch(1, [:]), durability: .synced)
        try storage.append(batch(1, [:]), durability: .synced)
        storage.close()
        let again = try reopen(number, storage)
        defer { again.close() }
        try expect(again.load(), intact(["a": .integer(1)]))
    }

    private func restsAtClosing(_ number: Int) throws {
        let storage = try opened(number)
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        let tree = SettingTree(["a": .integer(1)])
        _ = try storage.checkpoint(tree, at: .settled)
        _ = try storage.checkpoint(tree, at: .resting)
        let isAtRest = try storage.checkpoint(tree, at: .closing)
        storage.close()
        guard isAtRest else { throw Mismatch("it was not at rest") }
        let again = try reopen(number, storage)
        defer { again.close() }
        try expect(again.load(), intact(["a": .integer(1)]))
    }

    private func appendsUnderLock(_ number: Int) throws {
        let storage = try opened(number)
        try storage.lock()
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        storage.unlock()
        try storage.lock()
        storage.unlock()
        try storage.append(batch(2, ["b": .integer(2)]), durability: .synced)
        storage.close()
        let again = try reopen(number, storage)
        defer { again.close() }
        try expect(again.load(), intact(["a": .integer(1), "b": .integer(2)]))
    }

    private func checkpointKeepsValues(_ number: Int) throws {
        let storage = try opened(number)
        try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        _ = try storage.checkpoint(SettingTree(["a": .integer(1)]), at: .settled)
        try expect(storage.load(), intact(["a": .integer(1)]))
        storage.close()
        let again = try reopen(number, storage)
        defer { again.close() }
        try expect(again.load(), intact(["a": .integer(1)]))
    }

    private func throwsOnceClosed(_ number: Int) throws {
        let storage = try opened(number)
        storage.close()
        try expectClosed("load") { () throws(StorageError) in _ = try storage.load() }
        try expectClosed("append") { () throws(StorageError) in
            try storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        }
        try expectClosed("checkpoint") { () throws(StorageError) in
            _ = try storage.checkpoint(SettingTree(), at: .settled)
        }
    }

    private func reservesAgain(_ number: Int) throws {
        let storage = try opened(number)
        defer { storage.close() }
        for round in 1...2 {
            for name in ["default", "Other-name_2"] where try !storage.tryReserve(name) {
                throw Mismatch("\(name) could not be reserved in round \(round)")
            }
            try storage.append(batch(UInt64(round), ["a": .integer(1)]), durability: .synced)
            storage.giveUp("default")
            storage.giveUp("Other-name_2")
        }
    }

    private func roundTrips(_ value: SettingValue, _ number: Int) throws {
        try check(
            number, [["top": value, "group.inner": value]],
            resultIn: ["top": value, "group": .dictionary(["inner": value])])
    }
}

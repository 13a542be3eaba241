import Settle

/// The reports that storages of the same data owe each other.
extension StorageConformance {
    typealias PairCheck = (promise: String, run: (Pair) async throws -> Void)

    var sharingChecks: [PairCheck] {
        [
            ("A batch of another storage is an external change, once", tellsOthers),
            ("A storage's own batch is not an external change", keepsOwnToItself),
            ("A later batch wins over an external change found before", laterBatchWins),
            ("An external change after a batch wins", laterExternalWins),
            ("Two storages that write different keys both win", bothWin),
            ("A receipt reports external changes that have not been fetched", receiptTells),
            ("The watch reports when another storage has appended", watchTells),
            ("The watch reports again when another storage has appended again", watchTellsAgain),
            ("No load ever finds a part of a batch", loadsWholeBatches),
            ("After external changes could not be determined, none of them is lost", tellsAfterAFailure),
        ]
    }

    /// Two loaded storages of the same data, in which `start` is 0.
    struct Pair {
        let number: Int
        let first: Opened
        let second: Opened
        /// The position of the first storage's load.
        let position: StoragePosition

        func close() async {
            await first.close()
            await second.close()
        }
    }

    /// Runs each check on its own pair, and closes the pair.
    func onPairs(_ checks: [PairCheck]) -> [Check] {
        checks.map { check in
            Check(promise: check.promise) { number in
                let pair = try await pair(number)
                do {
                    try await check.run(pair)
                } catch {
                    await pair.close()
                    throw error
                }
                await pair.close()
            }
        }
    }

    private func pair(_ number: Int) async throws -> Pair {
        let first = try await opened(number)
        guard let makeOther else {
            await first.close()
            throw LeftOut(first.isShared ? "there is no `makeOther`" : "it is no `SharedStorage`")
        }
        guard first.shared != nil else { throw Mismatch("it is no SharedStorage") }
        // Store something, so that the second storage has a state to load.
        try await append(["start": .integer(0)], to: first, .synced, revision: 1)
        let second = Opened(try await makeOther(number, first.base))
        _ = try await second.load()
        return Pair(number: number, first: first, second: second, position: try await first.load().position)
    }

    /// Applies to a store's known values what the first storage reports after a position.
    func merge(
        _ pair: Pair, into known: inout SettingTree, after position: StoragePosition? = nil
    ) async throws -> StoragePosition {
        let found = try await pair.first.changes(after: position ?? pair.position)
        for change in found.changes {
            if case .unusable(let error) = change.content {
                throw Mismatch("an external change was unusable: \(error)")
            }
            change.apply(to: &known)
        }
        return found.position
    }

    func expect(_ found: SettingTree, _ expected: SettingValue.Entries) throws {
        guard found.root != expected else { return }
        throw Mismatch("the first storage should know of \(expected), but knows of \(found.root)")
    }

    private func tellsOthers(_ pair: Pair) async throws {
        var known = SettingTree(["start": .integer(0)])
        try await append(["a": .integer(1), "start": nil], to: pair.second)
        let position = try await merge(pair, into: &known)
        try expect(known, ["a": .integer(1)])
        let again = try await pair.first.changes(after: position)
        guard again.changes.isEmpty else { throw Mismatch("the same change was reported twice: \(again.changes)") }
        guard again.position == position else { throw Mismatch("the position changed although nothing else did") }
    }

    private func keepsOwnToItself(_ pair: Pair) async throws {
        try await append(["a": .integer(1)], to: pair.first, .synced)
        let changes = try await pair.first.changes(after: pair.position).changes
        guard changes.isEmpty else { throw Mismatch("a storage reports its own batch as external: \(changes)") }
    }

    private func laterBatchWins(_ pair: Pair) async throws {
        try await append(["a": .integer(2), "b": .integer(2)], to: pair.second)
        try await append(["a": .integer(1)], to: pair.first)
        var known = SettingTree(["start": .integer(0), "a": .integer(1)])
        _ = try await merge(pair, into: &known)
        let expected: SettingValue.Entries = ["start": .integer(0), "a": .integer(1), "b": .integer(2)]
        try expect(known, expected)
        try await expect(pair.first, toHave: expected)
    }

    private func laterExternalWins(_ pair: Pair) async throws {
        try await append(["a": .integer(1)], to: pair.first)
        try await append(["a": .integer(2)], to: pair.second)
        var known = SettingTree(["start": .integer(0), "a": .integer(1)])
        _ = try await merge(pair, into: &known)
        try expect(known, ["start": .integer(0), "a": .integer(2)])
    }

    private func bothWin(_ pair: Pair) async throws {
        try await append(["a": .integer(1)], to: pair.first)
        try await append(["b": .integer(2)], to: pair.second, .synced)
        try await append(["c": .integer(3)], to: pair.first, .synced)
        await pair.close()
        let again = try await reopened(pair.number, pair.first)
        try await expect(
            again, toHave: ["start": .integer(0), "a": .integer(1), "b": .integer(2), "c": .integer(3)])
        await again.close()
    }

    private func receiptTells(_ pair: Pair) async throws {
        try await append(["a": .integer(1)], to: pair.second)
        let receipt = try await append(["b": .integer(1)], to: pair.first)
        guard receipt.hasExternalChanges else { throw Mismatch("it does not") }
    }

    private func watchTells(_ pair: Pair) async throws { try await expectEvents(1, pair) }

    private func watchTellsAgain(_ pair: Pair) async throws { try await expectEvents(2, pair) }

    private func expectEvents(_ count: Int, _ pair: Pair) async throws {
        let events = WatchedValue<[StorageEvent]>([])
        pair.first.watch { event in events.update { $0.append(event) } }
        var (known, position) = (SettingTree(["start": .integer(0)]), pair.position)
        for number in 1...count {
            // A storage may notify once at the beginning, of changes between the load and the watch.
            let before = events.value.count
            try await append(["a": .integer(Int64(number))], to: pair.second, .synced)
            let isReported = await withinPatience {
                _ = await events.value { $0.dropFirst(before).contains(.mayHaveChanged) }
            }
            guard isReported else { throw Mismatch("change \(number) was not reported within \(patience)") }
            position = try await merge(pair, into: &known, after: position)
            try expect(known, ["start": .integer(0), "a": .integer(Int64(number))])
        }
    }

    private func loadsWholeBatches(_ pair: Pair) async throws {
        let keys: [SettingKey] = ["a", "m", "z"]
        let (writer, reader) = (pair.first, pair.second)
        try await withThrowingTaskGroup { group in
            let meanwhile = LockedValue((loads: 0, isWritten: false))
            group.addTask {
                defer { meanwhile.withLock { $0.isWritten = true } }
                var round: UInt64 = 0
                // However the two are scheduled, several loads happen between the first append and the last one.
                while round < 100 || meanwhile.withLock({ $0.loads < 10 }) {
                    round += 1
                    let values = Dictionary(uniqueKeysWithValues: keys.map { ($0, SettingValue.integer(Int64(round))) })
                    _ = try await writer.append(StorageBatch(revision: round, values: values), durability: .buffered)
                    await Task.yield()
                }
            }
            group.addTask {
                // A load that fails ends the writing too.
                defer { meanwhile.withLock { $0.loads = .max } }
                while !meanwhile.withLock({ $0.isWritten }) {
                    let tree = try await reader.load().tree
                    let found = keys.map { tree[$0] }
                    if Set(found).count > 1 { throw Mismatch("a load found \(found)") }
                    meanwhile.withLock { $0.loads += 1 }
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
    }

    private func tellsAfterAFailure(_ pair: Pair) async throws {
        try await append(["a": .integer(1)], to: pair.second)
        try await produce(.changes, in: pair.first)
        try await expectError(of: "changes") { _ = try await pair.first.changes(after: pair.position) }
        try await heal(pair.first)
        var known = SettingTree(["start": .integer(0)])
        _ = try await merge(pair, into: &known)
        try expect(known, ["start": .integer(0), "a": .integer(1)])
    }

    /// - Returns: Whether the work ended in time.
    func withinPatience(_ work: @escaping @Sendable () async -> Void) async -> Bool {
        await withTaskGroup { group in
            group.addTask {
                await work()
                return !Task.isCancelled
            }
            group.addTask { [patience] in
                try? await Task.sleep(for: patience)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}

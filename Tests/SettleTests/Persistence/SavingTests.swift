import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SavingTests {
    private func checkpoints(_ recording: RecordingStorage) -> Int {
        recording.calls.count { [.checkpoint(.settled), .checkpoint(.changing)].contains($0.operation) }
    }

    private func syncs(_ recording: RecordingStorage) -> Int {
        recording.calls.count { call in
            guard case .append(_, .synced) = call.operation else { return false }
            return true
        }
    }

    @Test("A change is appended at once, and not synced yet")
    func atOnce() async throws {
        let (store, clock, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        let batches = await recording.batches(atLeast: 1)
        #expect(batches.map(\.revision) == [1] && batches.map(\.values) == [["count": .integer(1)]])
        #expect(clock.now.sinceStart == .zero && syncs(recording) == 0)
    }

    @Test("Changes within 2 ms of an append share the next batch, which carries the values they replace")
    func paced() async throws {
        let (store, clock, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        _ = await recording.batches(atLeast: 1)
        settings.count = 2
        await clock.deadlines { $0.contains { $0.sinceStart == .milliseconds(2) } }
        settings.name = "a"
        settings.count = 3
        clock.advance(by: .milliseconds(2))
        let batches = await recording.batches(atLeast: 2)
        #expect(batches.count == 2 && batches[1].revision == 4)
        #expect(batches[1].values == ["count": .integer(3), "name": .string("a")])
        #expect(batches[1].expectedValues == ["count": .integer(1)])
    }

    @Test("A batch names its author if only one of its authors has a name")
    func writers() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        /// What is written during an append shares the next batch.
        func writer(ofBatchBy writers: [String?]) async throws -> String? {
            let hold = failing.hold(.append)
            settings.name += "x"
            async let flush: Void = store.flush()
            await hold.waitUntilReached()
            for writer in writers {
                if let writer {
                    try settings.update(author: writer) { settings.count += 1 }
                } else {
                    settings.count += 1
                }
            }
            hold.release()
            try await flush
            try await store.flush()
            return recording.batches.last?.author
        }
        #expect(try await writer(ofBatchBy: ["a"]) == "a")
        #expect(try await writer(ofBatchBy: ["a", "a", "a"]) == "a")
        #expect(try await writer(ofBatchBy: ["a", "b"]) == nil)
        #expect(try await writer(ofBatchBy: ["a", nil]) == "a")
        #expect(try await writer(ofBatchBy: [nil, nil]) == nil)
        #expect(try await writer(ofBatchBy: Array(repeating: "a", count: 17)) == nil)
    }

    @Test("A checkpoint makes changes stable together, after a quiet period")
    func quiet() async throws {
        let (store, clock, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        _ = await recording.batches(atLeast: 1)
        await clock.deadlines { $0.contains { $0.sinceStart == .milliseconds(250) } }
        clock.advance(by: .milliseconds(249))
        #expect(checkpoints(recording) == 0)
        clock.advance(by: .milliseconds(2))
        _ = await recording.calls { $0.contains { $0.operation == .checkpoint(.settled) } }
        try await eventually("the store is saved") { store.status == .saved }
        #expect(syncs(recording) == 0)
    }

    @Test("Further changes delay the checkpoint, at most to the longest delay")
    func longest() async throws {
        let (store, clock, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        for _ in 1...19 {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .milliseconds(100))
            settings.count += 1
        }
        await clock.deadlines { $0.contains { $0.sinceStart <= .seconds(2) } }
        #expect(checkpoints(recording) == 0)
        // 1.9 s have passed; the longest delay is 2 s, although the last change is only 0.1 s old then.
        clock.advance(by: .milliseconds(101))
        _ = await recording.calls { $0.contains { $0.operation == .checkpoint(.changing) } }
        #expect(recording.batches.last?.revision == 20)
    }

    @Test("The delays are settable")
    func settable() async throws {
        let (store, clock, _, recording) = try await SettingsStore.openWithManualClock(
            savePolicy: .debounced(quiet: .seconds(60), atMost: .seconds(600)))
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(59))
        #expect(checkpoints(recording) == 0)
        clock.advance(by: .milliseconds(1_001))
        _ = await recording.calls { $0.contains { $0.operation == .checkpoint(.settled) } }
    }

    @Test("An immediate group is synced at once, with everything that is pending")
    func immediate() async throws {
        let (store, _, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(MixedSettings.self)
        settings.usual = 1
        settings.immediate.urgent = 1
        let calls = await recording.calls { calls in
            calls.contains { call in
                guard case .append(_, .synced) = call.operation else { return false }
                return true
            }
        }
        #expect(!calls.isEmpty)
        try await eventually("the store is saved") { store.status == .saved }
        let saved = recording.batches.reduce(into: SettingTree()) { $0.apply($1.values) }
        #expect(saved["usual"] == .integer(1) && saved["immediate.urgent"] == .integer(1))
    }

    @Test("Memory-only settings are never saved")
    func memoryOnly() async throws {
        let (store, clock, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(MixedSettings.self)
        settings.volatile.secret = 1
        #expect("\(store.status)" == "saved")
        try settings.update {
            settings.volatile.secret = 2
            settings.usual = 1
        }
        try await settings.commit { settings.volatile.secret = 3 }
        clock.advance(by: .seconds(100))
        try await store.close()
        #expect(recording.batches.map(\.values) == [["usual": .integer(1)]])
    }

    @Test("Memory-only settings keep their values when their group is released and opened again")
    func memoryOnlyReopened() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        func setSecret() async throws { try await store.group(MixedSettings.self).volatile.secret = 7 }
        try await setSecret()
        let settings = try await store.group(MixedSettings.self)
        #expect(settings.volatile.secret == 7 && !settings.volatile.$secret.isDefault)
    }

    @Test("A busy writer to an immediate group neither starves a flush nor overflows the stack")
    func busyImmediate() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(ImmediateSettings.self)
        let flag = Flag()
        async let writer: Void = onThread { while !flag.isRaised { settings.urgent += 1 } }
        defer { flag.raise() }
        for _ in 0..<20 { try await store.flush() }
        for await count in settings.$urgent where count > 300_000 { break }
        try await store.flush()
        flag.raise()
        await writer
    }

    @Test("commit returns once its values are on stable storage")
    func commit() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        settings.name = "before"
        _ = await recording.batches(atLeast: 1)
        let hold = failing.hold(.append)
        let ended = ChangeRecorder(
            AsyncStream { continuation in
                Task {
                    try await settings.commit { settings.count = 1 }
                    continuation.yield(1)
                    continuation.finish()
                }
            })
        await hold.waitUntilReached()
        #expect(settings.count == 1 && ended.elements.isEmpty)
        hold.release()
        await ended.until { $0 == [1] }
        #expect(recording.batches.map(\.values) == [["name": .string("before")], ["count": .integer(1)]])
        let isStable = recording.calls.contains { call in
            guard case .append(_, .synced) = call.operation else { return false }
            return true
        }
        #expect(isStable)
    }

    @Test("commit and flush throw if saving fails, and a later flush saves everything")
    func failures() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let noSpace = StorageError(.noSpace, "There is no room.")
        failing.fail(.append, with: noSpace, count: 3)
        let error = await #expect(throws: SettingsError.self) { try await settings.commit { settings.count = 1 } }
        #expect(error?.code == .storage && error?.underlying as? StorageError == noSpace)
        #expect(settings.count == 0, "What was surely not stored is undone.")
        settings.name = "a"
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(throws: SettingsError.self) { try store.flushAndWait() }
        settings.count = 2
        try await store.flush()
        #expect(recording.batches.map(\.values) == [["count": .integer(2), "name": .string("a")]])
        try await store.flush()
        #expect(recording.batches.count == 1)
    }

    @Test("An unencodable value makes commit and every later flush throw until it is replaced")
    func unencodable() async throws {
        let (store, _, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(PickySettings.self)
        let error = await #expect(throws: SettingsError.self) {
            try await settings.commit {
                settings.picky = 13
                settings.plain = 1
            }
        }
        #expect(error?.code == .encodingFailed && error?.key == "picky")
        #expect(recording.batches.map(\.values) == [["plain": .integer(1)]])
        await #expect(throws: SettingsError.self) { try await store.flush() }
        settings.picky = 14
        try await store.flush()
        #expect(recording.batches.last?.values == ["picky": .integer(14)])
    }

    @Test("Each saved batch is a consistent revision, however many writers there are")
    func neverTorn() async throws {
        let recording = RecordingStorage()
        let store = try await SettingsStore.open(
            storage: recording, configuration: .init(savePolicy: .debounced(quiet: .zero, atMost: .zero)))
        let settings = try await store.group(BalanceSettings.self)
        async let writers: Void = withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for step in 1...500 {
                        try? settings.update {
                            settings.left -= step
                            settings.right += step
                        }
                    }
                }
            }
        }
        for _ in 0..<50 { try await store.flush() }
        await writers
        try await store.close()
        var tree = SettingTree()
        var revision: UInt64 = 0
        for batch in recording.batches {
            #expect(batch.revision > revision)
            revision = batch.revision
            tree.apply(batch.values)
            guard case .integer(let left)? = tree["left"], case .integer(let right)? = tree["right"] else {
                Issue.record("A value is missing in \(batch).")
                return
            }
            #expect(left + right == 1_000)
        }
        #expect(revision == 2_000 && tree["left"] == .integer(Int64(settings.left)))
    }
}

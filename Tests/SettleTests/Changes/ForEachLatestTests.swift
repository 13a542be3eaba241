import Settle
import SettleTesting
import Testing

private struct OtherFailure: Error {}

/// What bodies did, in order, and whether two of them ever ran at once.
private final class Journal: Sendable {
    private struct State {
        var running = 0
        var wereTwo = false
        var lines: [String] = []
    }

    private let state = LockedValue(State())
    private let stream: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    var lines: [String] { state.withLock { $0.lines } }
    var wereTwo: Bool { state.withLock { $0.wereTwo } }

    func begin(_ name: some Any) {
        state.withLock {
            $0.running += 1
            if $0.running > 1 { $0.wereTwo = true }
        }
        note("begin \(name)")
    }

    func end(_ name: some Any) {
        state.withLock { $0.running -= 1 }
        note("end \(name)")
    }

    func note(_ line: String) {
        state.withLock { $0.lines.append(line) }
        continuation.yield(line)
    }

    /// Waits for a line. One waiter at a time.
    func wait(for line: String) async {
        for await next in stream where next == line { return }
    }
}

/// Returns when the task is cancelled.
private func untilCancelled() async {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
}

@Suite(.timeLimit(.minutes(10))) struct ForEachLatestTests {
    private func open() async throws -> (SettingsStore, OuterSettings) {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        return (store, try await store.group(OuterSettings.self))
    }

    @Test("A newer value cancels the running body, and the newest value runs next")
    func superseding() async throws {
        let (store, settings) = try await open()
        let journal = Journal()
        async let reaction: Void = settings.inner.$count.forEachLatest { count in
            journal.begin(count)
            if count < 3 {
                await untilCancelled()
                // Written while this body ends: only the newest of them may run next.
                if count == 1 { for number in 2...3 { settings.inner.count = number } }
            }
            journal.end(count)
            try Task.checkCancellation()
        }
        await journal.wait(for: "begin 0")
        settings.inner.count = 1
        await journal.wait(for: "begin 1")
        settings.inner.count = 100
        await journal.wait(for: "end 3")
        try await store.close()
        try await reaction
        #expect(journal.lines == ["begin 0", "end 0", "begin 1", "end 1", "begin 3", "end 3"])
    }

    @Test("The body runs again only after a change") func oncePerValue() async throws {
        let (store, settings) = try await open()
        let journal = Journal()
        async let reaction: Void = settings.inner.$count.forEachLatest { journal.note("\($0)") }
        await journal.wait(for: "0")
        settings.inner.count = 1
        await journal.wait(for: "1")
        settings.inner.count = 1
        settings.title = "other"
        try await store.close()
        await reaction
        #expect(journal.lines == ["0", "1"])
    }

    @Test("An error from the body ends the loop, even from a cancelled body")
    func errors() async throws {
        let (_, settings) = try await open()
        await #expect(throws: TestFailure.self) {
            try await settings.inner.$count.forEachLatest { _ in throw TestFailure() }
        }
        await #expect(throws: OtherFailure.self) {
            try await settings.inner.$count.forEachLatest { _ in
                settings.inner.count += 1
                await untilCancelled()
                throw OtherFailure()
            }
        }
        // No newer value has cancelled this body.
        await #expect(throws: CancellationError.self) {
            try await settings.inner.$count.forEachLatest { _ in throw CancellationError() }
        }
    }

    @Test("Cancelling the task cancels the body, and the call returns once the body has ended")
    func cancellation() async throws {
        let (_, settings) = try await open()
        let journal = Journal()
        let task = Task {
            try await settings.inner.$count.forEachLatest { count in
                journal.begin(count)
                await untilCancelled()
                journal.end(count)
                throw CancellationError()
            }
            journal.note("returned")
        }
        await journal.wait(for: "begin 0")
        task.cancel()
        try await task.value
        #expect(journal.lines == ["begin 0", "end 0", "returned"])
        let late = Task {
            await untilCancelled()
            await settings.inner.$count.forEachLatest { journal.begin($0) }
        }
        late.cancel()
        await late.value
        #expect(journal.lines.count == 3)
    }

    @Test("Closing the store lets the last body finish") func closing() async throws {
        let (store, settings) = try await open()
        let journal = Journal()
        async let reaction: Void = settings.inner.$count.forEachLatest { count in
            journal.begin(count)
            // Ends when the store closes, like the sequence that runs this body.
            for await _ in store.changes {}
            await Task.yield()
            #expect(!Task.isCancelled)
            journal.end(count)
        }
        await journal.wait(for: "begin 0")
        try await store.close()
        await reaction
        #expect(journal.lines == ["begin 0", "end 0"])
    }

    @Test("A value written just before the store closes still runs its body") func lastValue() async throws {
        let (store, settings) = try await open()
        let journal = Journal()
        async let reaction: Void = settings.inner.$count.forEachLatest { count in
            journal.begin(count)
            if count == 0 { await untilCancelled() }
            journal.end(count)
        }
        await journal.wait(for: "begin 0")
        settings.inner.count = 1
        try await store.close()
        await reaction
        #expect(journal.lines.suffix(2) == ["begin 1", "end 1"])
    }

    @Test("forEachLatest works on a group that no store has opened, even if the whole group is used later")
    func detached() async throws {
        let settings = OuterSettings()
        let journal = Journal()
        let task = Task { await settings.inner.$count.forEachLatest { journal.note("\($0)") } }
        await journal.wait(for: "0")
        try settings.update { settings.inner.count = 1 }
        await journal.wait(for: "1")
        settings.inner.count = 2
        await journal.wait(for: "2")
        task.cancel()
        await task.value
    }

    @Test("The body receives the newest change and the number it missed") func changes() async throws {
        let (store, settings) = try await open()
        let changes = settings.inner.changes
        let journal = Journal()
        for number in 1...3 { settings.inner.count = number }
        async let reaction: Void = changes.forEachLatest { change in
            journal.note("\(change.revision ?? 0) \(change.missed.count ?? 0)")
            guard (change.revision ?? 0) < 8 else { return }
            if change.revision == 3 { settings.inner.count = 4 }
            await untilCancelled()
            guard change.revision == 4 else { return }
            for number in 6...8 { settings.inner.count = number }
        }
        await journal.wait(for: "4 0")
        settings.inner.count = 5
        await journal.wait(for: "8 3")
        try await store.close()
        await reaction
        #expect(journal.lines == ["3 2", "4 0", "8 3"])
    }

    // MARK: Snapshots

    @Test("An equal result does not cancel the running body") func equalResults() async throws {
        let (store, settings) = try await open()
        let journal = Journal()
        async let reaction: Void = settings.snapshots { $0.inner.count / 10 }.forEachLatest { tens in
            journal.begin(tens)
            if tens == 0 { await untilCancelled() }
            journal.end(tens)
        }
        await journal.wait(for: "begin 0")
        for number in 1...9 { settings.inner.count = number }
        settings.title = "other"
        settings.inner.count = 10
        await journal.wait(for: "end 1")
        try await store.close()
        await reaction
        #expect(journal.lines == ["begin 0", "end 0", "begin 1", "end 1"])
    }

    // MARK: Stress

    @Test("Bodies never overlap, and the last one sees the current value")
    func stress() async throws {
        for round in 0..<60 { try await reactUnderStress(round) }
    }

    private func reactUnderStress(_ round: Int) async throws {
        let (store, settings) = try await open()
        let journal = Journal()
        let kind = round % 3
        // Changes begin with the sequence, which the task may make only after the last write.
        let changes = settings.inner.changes
        let task = Task {
            switch kind {
            case 0:
                try await settings.inner.$count.forEachLatest { try await react(to: $0, round, journal) }
            case 1:
                try await settings.snapshots { $0.inner.count }.forEachLatest {
                    try await react(to: $0, round, journal)
                }
            default:
                try await changes.forEachLatest { change in
                    let count = try #require(change[settings.inner.$count]?.newValue)
                    try await react(to: count, round, journal)
                }
            }
        }
        await withTaskGroup { group in
            for writer in 0..<2 {
                group.addTask {
                    for _ in 0..<50 {
                        settings.inner.count += 1
                        if (writer + round).isMultiple(of: 3) { await Task.yield() }
                    }
                }
            }
        }
        settings.inner.count = 1_000
        await journal.wait(for: "end 1000")
        if round.isMultiple(of: 2) { try await store.close() } else { task.cancel() }
        try await task.value
        #expect(!journal.wereTwo, "round \(round)")
        #expect(journal.lines.last == "end 1000", "round \(round)")
    }

    private func react(to count: Int, _ round: Int, _ journal: Journal) async throws {
        journal.begin(count)
        var isDone = false
        defer { if !isDone { journal.end("cancelled") } }
        for _ in 0..<(round % 5) {
            await Task.yield()
            try Task.checkCancellation()
        }
        isDone = true
        journal.end(count)
    }
}

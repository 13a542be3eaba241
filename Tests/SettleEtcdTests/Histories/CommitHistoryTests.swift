import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// Stores whose tasks commit and write, while requests and answers are lost, late, refused or cut, and streams end:
/// each acknowledged commit is stored once, each refused one never, each has read what was there when it was stored, no
/// plain write is stored twice, and every follower is told each revision once and in order. In the end all have the
/// cluster's values.
///
/// Some commits are made under named locks, which the end of a process leaves behind until their leases end.
///
/// In some rounds the cluster forgets its past now and then. Then a follower may be told of a hole.
@Suite(.timeLimit(.minutes(10))) struct CommitHistoryTests {
    struct Registers: SettingsGroup {
        @Setting var first = 0
        @Setting var second = 0
        @Setting var third = 0
        @Setting var plain = 0
        @Setting var last = 0

        func replace(_ register: Int, with value: Int) -> Int {
            switch register {
            case 0:
                defer { first = value }
                return first
            case 1:
                defer { second = value }
                return second
            default:
                defer { third = value }
                return third
            }
        }
    }

    private static let names = ["first", "second", "third"]
    /// What a client writes at the end begins there.
    private static let final = 90_000

    private enum Outcome: Equatable {
        case acknowledged(found: Int)
        case refused
        /// - Parameter found: What it has read last.
        case unknown(found: Int?)
    }

    /// A random number of the next calls meets failures of one kind, then some work.
    final class Disturbance: Sendable {
        private let state: Mutex<(random: SeededGenerator, left: Int, isEnded: Bool)>

        init(seed: UInt64) { state = Mutex((SeededGenerator(seed: seed), 0, false)) }

        func end() { state.withLock { $0.isEnded = true } }

        func fault(_ request: EtcdRequest) -> FakeTransport.Fault? {
            state.withLock { state in
                guard !state.isEnded else { return nil }
                if state.left == 0 { state.left = .random(in: -20...6, using: &state.random) }
                defer { state.left += state.left < 0 ? 1 : -1 }
                guard state.left > 0 else { return nil }
                let faults: [FakeTransport.Fault] = [
                    .answerLost, .requestLost, .late, .refused, .noQuorum, .cut(at: 9), .silence,
                ]
                return faults.randomElement(using: &state.random)
            }
        }
    }

    /// What the clients have been told.
    private final class Record: Sendable {
        /// Of each value.
        let outcomes = Mutex<[Int: Outcome]>([:])
        /// By the client: the place where it began, and what its follower was told.
        let told = Mutex<[Int: [String]]>([:])
        /// How often a lock was taken.
        let locked = Mutex(0)
        /// By the client: what it does.
        let places = Mutex<[Int: String]>([:])
        private let arrived = Mutex(0)

        /// Waits until so many have arrived, or one of them has failed, which cancels the others.
        func meet(_ count: Int) async throws {
            arrived.withLock { $0 += 1 }
            try await eventually("\(count) writers have arrived") { arrived.withLock { $0 >= count } }
        }
    }

    private let fixture = EtcdFixture()

    @Test("Commits are once and followed", arguments: histories(usually: 8))
    func randomCommits(_ round: UInt64) async throws {
        let record = Record()
        let lives = Task { [fixture] in
            try await fixture.whileTimePasses {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 1...3 {
                        group.addTask {
                            try await Self.live(
                                number, seed: 6_151 + 10 * round + UInt64(number), forgetting: Self.isForgetful(round),
                                in: fixture, record)
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        // What stands still does not hear that it is cancelled. So nobody waits for it longer.
        let isOver = AsyncStream<Bool>.makeStream()
        let alarm = Task {
            try await Task.sleep(for: .seconds(240))
            isOver.continuation.yield(true)
        }
        let end = Task {
            _ = await lives.result
            isOver.continuation.yield(false)
        }
        defer {
            alarm.cancel()
            end.cancel()
        }
        guard await isOver.stream.first(where: { _ in true }) == false else {
            lives.cancel()
            // A follower that lacks the last revision ends here, too.
            Issue.record("round \(round) stands still: \(record.places.withLock { $0 })")
            return
        }
        try await lives.value
        check(record, round)
    }

    private static func isForgetful(_ round: UInt64) -> Bool { round % 4 == 3 }

    /// A machine, whose process ends once without notice.
    private static func live(
        _ number: Int, seed: UInt64, forgetting isForgetful: Bool, in fixture: EtcdFixture, _ record: Record
    ) async throws {
        let copy: InMemoryStorage? = number == 3 ? nil : InMemoryStorage()
        let disturbance = Disturbance(seed: seed)
        var random = SeededGenerator(seed: seed)
        var (place, told): (ChangeToken?, [String]) = (nil, [])
        var abandoned: [SettingsStore] = []
        func note(_ place: String) { record.places.withLock { $0[number] = place } }
        for life in 0...1 {
            note("opens, life \(life)")
            let (storage, transport) = fixture.client(localCopy: copy.map(InMemoryStorage.init(sharing:)))
            let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
            let settings = try await store.group(Registers.self)
            let beginning = place ?? store.history.token
            if told.isEmpty { told = ["\(beginning?.position ?? 0)"] }
            let seen = LockedValue<(place: ChangeToken?, told: [String])>((beginning, []))
            let following = Task {
                for await change in store.history.changes(after: beginning) {
                    seen.withLock { seen in
                        if change.missed != .nothing { seen.told.append("a hole: \(change)") }
                        if let token = change.token { seen.told.append("\(token.position)") }
                        seen.place = change.token
                    }
                }
            }
            transport.set { disturbance.fault($0) }
            for step in 1...10 {
                note("step \(step), life \(life)")
                if step.isMultiple(of: 4) { transport.endStreams() }
                if isForgetful, step.isMultiple(of: 3), number == 1 { fixture.cluster.compact() }
                let value = number * 1_000 + life * 100 + 3 * step
                if step.isMultiple(of: 3) { settings.plain = value }
                // At the same time.
                let registers = (0..<3).shuffled(using: &random).prefix(step % 3 + 1)
                await withTaskGroup(of: Void.self) { group in
                    for (index, register) in registers.enumerated() {
                        group.addTask {
                            guard index == 0, step.isMultiple(of: 2) else {
                                return await commit(value + index, to: register, of: settings, record)
                            }
                            try? await store.withLock(named: "job\(number % 2)", timeout: .seconds(60)) {
                                record.locked.withLock { $0 += 1 }
                                await commit(value + index, to: register, of: settings, record)
                            }
                        }
                    }
                }
                if step.isMultiple(of: 5) { settings.plain = value }
            }
            if life == 1 {
                disturbance.end()
                note("saves what has failed")
                // Until every value that was given up meanwhile has been reported.
                while (try? await store.flush()) == nil { try Task.checkCancellation() }
                settings.plain = final + number
                note("saves the last value")
                try await store.flush()
                note("waits for the others, and for its follower")
                try await settle(settings, seen, in: fixture, record)
            }
            note("ends its follower, life \(life)")
            following.cancel()
            await following.value
            place = seen.withLock { $0.place }
            told += seen.withLock { $0.told }
            guard life == 0 else {
                note("closes")
                try await store.close()
                note("has ended")
                continue
            }
            // The process ends: nothing of it arrives any more.
            transport.setAll(.refused)
            transport.endStreams()
            abandoned.append(store)
            fixture.cluster.expire()
        }
        record.told.withLock { [told] in $0[number] = told }
        withExtendedLifetime(abandoned) {}
    }

    private static func commit(_ value: Int, to register: Int, of settings: Registers, _ record: Record) async {
        let outcome: Outcome
        let read = LockedValue<Int?>(nil)
        do {
            let found = try await settings.commit {
                let found = settings.replace(register, with: value)
                read.withLock { $0 = found }
                return found
            }
            outcome = .acknowledged(found: found)
        } catch {
            let isUnknown = ((error as? SettingsError)?.underlying as? StorageError)?.isOutcomeUnknown == true
            outcome = isUnknown ? .unknown(found: read.withLock { $0 }) : .refused
        }
        record.outcomes.withLock { $0[value] = outcome }
    }

    /// Waits until all have ended, and the follower has been told everything.
    private static func settle(
        _ settings: Registers, _ seen: LockedValue<(place: ChangeToken?, told: [String])>, in fixture: EtcdFixture,
        _ record: Record
    ) async throws {
        try await record.meet(3)
        // What is still open is settled by the next commit, and the last place is that of a change.
        try await settings.commit { settings.last += 1 }
        try await record.meet(6)
        let last = UInt64(fixture.newestRevision)
        try await eventually("the follower has seen the last revision") {
            seen.withLock { $0.place.map { $0.position >= last } ?? false }
        }
        for (name, value) in [
            ("first", settings.first), ("second", settings.second), ("third", settings.third),
            ("plain", settings.plain), ("last", settings.last),
        ] {
            #expect(fixture.cluster.text(fixture.prefix + name).flatMap { Int($0) } ?? 0 == value, "\(name)")
        }
    }

    private func check(_ record: Record, _ number: UInt64) {
        let round = "round \(number)"
        let (outcomes, told) = (record.outcomes.withLock { $0 }, record.told.withLock { $0 })
        #expect(record.locked.withLock { $0 } > 0, "\(round): no lock was taken")
        let acknowledged = outcomes.values.count { if case .acknowledged = $0 { true } else { false } }
        #expect(acknowledged > 0, "\(round): no commit was acknowledged")
        var homes: [Int: [Int64]] = [:]
        var plain: [Int: [Int64]] = [:]
        var last: [String: Int] = [:]
        var revisions: [Int64] = []
        /// Values that commits have read, and that were not stored before.
        var read: [(value: Int, revision: Int64, found: Int, last: Int)] = []
        let events = fixture.cluster.state.withLock { $0.allEvents }
        for (revision, changes) in events.sorted(by: { $0.key < $1.key }) {
            var hasSetting = false
            for change in changes {
                let name = String(decoding: change.key.dropFirst(fixture.prefix.utf8.count), as: UTF8.self)
                guard !name.hasPrefix("$settle/") else { continue }
                hasSetting = true
                guard name != "last" else { continue }
                guard let value = change.value.flatMap({ Int(String(decoding: $0.bytes, as: UTF8.self)) }) else {
                    Issue.record("\(round): \(name) was removed at \(revision)")
                    continue
                }
                guard name != "plain" else {
                    plain[value, default: []].append(revision)
                    continue
                }
                homes[value, default: []].append(revision)
                if case .acknowledged(let found)? = outcomes[value], found != last[name, default: 0] {
                    read.append((value, revision, found, last[name, default: 0]))
                }
                last[name] = value
            }
            if hasSetting { revisions.append(revision) }
        }
        for (value, revision, found, last) in read {
            // One whose outcome was unknown stands in its store. If it turns out not to be stored, it is appended again,
            // with the commit that has overwritten it since: the two are stored in one step, which shows only the last.
            var start = found
            while start != last, homes[start] == nil, case .unknown(let earlier?)? = outcomes[start] { start = earlier }
            #expect(start == last, "\(round): \(value) at \(revision) has read \(found)")
        }
        for (value, outcome) in outcomes.sorted(by: { $0.key < $1.key }) {
            let home = homes[value, default: []]
            #expect(home.count <= 1, "\(round): \(value), \(outcome), was stored at \(home)")
            switch outcome {
            case .acknowledged: #expect(home.count >= 1, "\(round): \(value) was acknowledged and is lost")
            case .refused: #expect(home.isEmpty, "\(round): \(value) was refused, and stored at \(home)")
            case .unknown: break
            }
        }
        for (value, revisions) in plain {
            #expect(revisions.count == 1, "\(round): \(value) was written once, and stored at \(revisions)")
        }
        for client in 1...3 {
            #expect(plain[Self.final + client] != nil, "\(round): client \(client) has lost a value")
        }
        guard !Self.isForgetful(number) else { return }
        for (client, positions) in told.sorted(by: { $0.key < $1.key }) {
            let beginning = positions.first.flatMap { Int64($0) } ?? 0
            let rest = Array(positions.dropFirst())
            let due = revisions.filter { $0 > beginning }.map { "\($0)" }
            #expect(rest == Array(due.prefix(rest.count)), "\(round): client \(client) from \(beginning)")
        }
    }
}

extension EtcdFixture {
    /// The newest revision that has changed a setting.
    fileprivate var newestRevision: Int64 {
        let events = cluster.state.withLock { $0.allEvents }
        return events.filter { _, changes in
            changes.contains { !String(decoding: $0.key, as: UTF8.self).hasPrefix(prefix + "$settle/") }
        }.keys.max() ?? 0
    }
}

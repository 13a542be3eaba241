import Settle
import SettleTesting

/// A random history of two stores, whose tasks commit and write while requests and answers are lost.
///
/// Each commit appends to one of two lists, or to both, how long the other one is, or only reads both. So the lists
/// tell in the end in which order the commits were stored, and what each has read.
final class LostAnswerHistory: Sendable {
    struct Lists: SettingsGroup {
        @Setting var left: [Entry] = []
        @Setting var right: [Entry] = []
        @Setting var first = 0
        @Setting var second = 0

        fileprivate var lengths: [Int] { [left.count, right.count] }

        fileprivate func perform(_ action: Action, _ id: Int) -> [Int] {
            if action == .left || action == .both { left.append(Entry(id: id, others: right.count)) }
            if action == .right || action == .both { right.append(Entry(id: id, others: left.count)) }
            return lengths
        }

        @MainActor fileprivate func commitOnMainActor(_ action: Action, _ id: Int) async throws -> [Int] {
            try await commit { perform(action, id) }
        }
    }

    struct Entry: Codable, Hashable, Sendable {
        var id: Int
        /// How many the other list had.
        var others: Int
    }

    fileprivate enum Action: CaseIterable { case left, right, both, none }

    private enum Outcome { case stored, undone, open }

    private struct Record {
        var outcomes: [Int: Outcome] = [:]
        /// The lengths that commits have read which changed nothing.
        var reads: [[Int]] = []
        var steps: [String] = []
    }

    private let seed: UInt64
    private let place = InMemoryStorage()
    private let clock = ManualClock()
    private let record = LockedValue(Record())
    /// The last value that was written without a commit, by the store. Locked while it is written.
    private let written = LockedValue<[Int: Int]>([:])

    init(seed: UInt64) { self.seed = seed }

    /// - Returns: What is wrong, with all steps.
    func run() async throws -> String? {
        let time = Task { [clock] in
            while !Task.isCancelled {
                if !clock.deadlines.isEmpty { clock.advance(by: .milliseconds(20)) }
                await Task.yield()
            }
        }
        defer { time.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...2 { group.addTask { try await self.live(number) } }
            try await group.waitForAll()
        }
        let store = try await SettingsStore.open(storage: InMemoryStorage(sharing: place))
        let lists = try await store.group(Lists.self)
        let record = record.withLock { $0 }
        var findings = Self.findings(lists, record)
        for (number, value) in written.withLock({ $0 }) {
            let stored = number == 1 ? lists.first : lists.second
            if stored != value { findings.append("\(value) was written, and \(stored) is stored") }
        }
        try await store.close()
        if findings.isEmpty { return nil }
        return "\(findings.joined(separator: "\n"))\nThe history with the seed \(seed):\n  "
            + record.steps.joined(separator: "\n  ")
    }

    fileprivate func note(_ step: String) { record.withLock { $0.steps.append(step) } }

    // MARK: A store

    private func live(_ number: Int) async throws {
        let storage = LosingStorage(InMemoryStorage(sharing: place), number, seed: 2 * seed + UInt64(number), of: self)
        let store = try await SettingsStore.open(
            storage: storage,
            configuration: .init(retryDelay: .milliseconds(20) ... .milliseconds(200), clock: clock))
        let lists = try await store.group(Lists.self)
        await withTaskGroup(of: Void.self) { group in
            for task in 1...Int(seed % 3 + 1) {
                group.addTask { [self] in
                    var random = SeededGenerator(seed: seed << 8 + UInt64(number * 10 + task))
                    for step in 1...12 {
                        let id = number * 10_000 + task * 1_000 + step
                        if Int.random(in: 0..<4, using: &random) == 0 { write(id, number, lists) }
                        let action = Action.allCases.randomElement(using: &random) ?? .none
                        await commit(action, id, lists, isVisit: Bool.random(using: &random))
                    }
                }
            }
        }
        storage.end()
        // Until every value that was given up meanwhile has been reported.
        while (try? await store.flush()) == nil { try Task.checkCancellation() }
        try await store.close()
    }

    private func write(_ id: Int, _ number: Int, _ lists: Lists) {
        written.withLock { written in
            if number == 1 { lists.first = id } else { lists.second = id }
            written[number] = id
        }
        note("\(id) is written")
    }

    private func commit(_ action: Action, _ id: Int, _ lists: Lists, isVisit: Bool) async {
        let outcome: Outcome
        do {
            let read: [Int]
            if isVisit {
                read = try await lists.commitOnMainActor(action, id)
            } else {
                read = try await lists.commit {
                    note("\(id) runs over \(lists.lengths)")
                    return lists.perform(action, id)
                }
            }
            if action == .none { record.withLock { $0.reads.append(read) } }
            outcome = .stored
        } catch {
            let failure = (error as? SettingsError)?.underlying as? StorageError
            outcome = failure?.isOutcomeUnknown == true ? .open : .undone
        }
        record.withLock { record in
            record.steps.append("\(id) is \(outcome)")
            if action != .none { record.outcomes[id] = outcome }
        }
    }

    // MARK: What is wrong

    private static func findings(_ lists: Lists, _ record: Record) -> [String] {
        let (left, right) = (lists.left, lists.right)
        var findings: [String] = []
        for (id, outcome) in record.outcomes.sorted(by: { $0.key < $1.key }) {
            let counts = [left, right].map { list in list.count { $0.id == id } }
            let isRight = outcome == .open || (counts != [0, 0]) == (outcome == .stored)
            if !isRight || counts.contains(where: { $0 > 1 }) {
                findings.append("\(id) is \(outcome), and \(counts) times in the lists")
            }
        }
        // Of two entries of different lists, one has seen the other.
        for (index, entry) in left.enumerated() {
            for (place, one) in right.enumerated() where one.id != entry.id {
                if (place < entry.others) == (one.others <= index) { continue }
                findings.append("\(entry) at \(index) and \(one) at \(place) have not seen each other")
            }
        }
        for read in record.reads {
            for (list, known, others) in [(left, read[0], read[1]), (right, read[1], read[0])] {
                for (index, entry) in list.enumerated() {
                    if index < known ? entry.others <= others : entry.others >= others { continue }
                    findings.append("\(entry) at \(index) and what was read of \(read) have not seen each other")
                }
            }
        }
        return findings
    }
}

/// A storage without a lock that loses requests and answers, at random.
private final class LosingStorage: StorageWrapper {
    let base: any Storage
    let limits: StorageLimits
    private let failing: FailingStorage
    private let number: Int
    private let history: LostAnswerHistory
    private let state: LockedValue<(random: SeededGenerator, isEnded: Bool)>

    init(_ base: InMemoryStorage, _ number: Int, seed: UInt64, of history: LostAnswerHistory) {
        (self.number, self.history) = (number, history)
        // Some have to store in several batches what their tasks have committed at the same time.
        limits = StorageLimits(keys: seed % 4 < 2 ? nil : 2)
        failing = FailingStorage(LocklessStorage(base))
        self.base = failing
        state = LockedValue((SeededGenerator(seed: seed), false))
    }

    /// Nothing is lost from now on.
    func end() {
        state.withLock { $0.isEnded = true }
        failing.heal()
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        await disturb(.append, isOutcomeUnknown: true)
        let text = "store \(number) appends \(Self.text(batch.values)) as \(batch.id.number), \(batch.conditions)"
        do throws(StorageError) {
            let receipt = try await failing.append(batch, durability: durability)
            history.note("\(text): \(receipt.position)\(receipt.hasExternalChanges ? ", with others between" : "")")
            return receipt
        } catch {
            history.note("\(text): \(error.code)")
            throw error
        }
    }

    func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        await disturb(.changes, isOutcomeUnknown: false)
        let found = try await failing.changes(after: position)
        for case .values(let values) in found.changes.map(\.content) {
            history.note("store \(number) is told of \(Self.text(values)) up to \(found.position)")
        }
        return found
    }

    /// Takes some time, and lets the next call fail, perhaps.
    private func disturb(_ operation: FailingStorage.Operation, isOutcomeUnknown: Bool) async {
        let (pause, fault) = state.withLock { state in
            let draw = (Int.random(in: 0...20, using: &state.random), Int.random(in: 0...9, using: &state.random))
            return state.isEnded ? (0, 9) : draw
        }
        for _ in 0..<pause { await Task.yield() }
        let error = StorageError(.unavailable, "There is no connection.", isOutcomeUnknown: isOutcomeUnknown)
        switch fault {
        case 0...1: failing.fail(operation, with: error, count: 1, moment: .before)
        case 2...3 where isOutcomeUnknown: failing.fail(operation, with: error, count: 1, moment: .after)
        default: break
        }
    }

    private static func text(_ values: [SettingKey: SettingValue?]) -> String {
        values.sorted { $0.key < $1.key }.map { key, value in
            guard case .array(let entries)? = value else { return "\(key) = \(value.map { "\($0)" } ?? "nil")" }
            let ids = entries.suffix(3).compactMap { entry in
                if case .dictionary(let entry) = entry, case .integer(let id)? = entry["id"] { id } else { nil }
            }
            return "\(key) = \(entries.count) to \(ids)"
        }.joined(separator: ", ")
    }
}

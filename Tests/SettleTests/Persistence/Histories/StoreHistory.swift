import Foundation
import Settle
import SettleTestSupport
import SettleTesting

/// A random history of several stores and a person that share a settings file on a simulated disk.
///
/// Each store has its own storage, as if in a process of its own; its calls may be held and may fail. From time to time
/// everything under way is finished: then all stores, and any new process, must find the same values, and the past, if
/// it is kept, must lead to them.
final class StoreHistory {
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private static let mostStores = 3

    let ledger = StoreHistoryLedger()
    let disk = SimulatedDisk()
    let clock = ManualClock()
    var members: [StoreHistoryMember] = []
    var random: SeededGenerator
    var person = SettingsPerson(path: FilePath(SharedFileHistory.path))
    /// Keeps the stores from writing the file during an edit; values that an edit overwrites are not their fault.
    let guardian: FileStorage
    private var steps: [String] = []
    var count = 0
    /// The values that edits have written.
    var edited: Set<Int> = []
    /// Decides when files are removed; `nil` if never.
    var removals: SeededGenerator?

    /// Whether the past is kept, and checked.
    let keepsHistory: Bool

    private init(seed: UInt64, removesFiles: Bool) throws {
        keepsHistory = seed % 2 == 0
        random = SeededGenerator(seed: seed)
        // A separate generator, so that a history is otherwise the same with and without removals.
        removals = removesFiles ? SeededGenerator(seed: ~seed) : nil
        let operations = FileOperations(disk)
        try operations.makeFolder(FilePath("/home"))
        guardian = FileStorage(at: SharedFileHistory.url, calls: FaultySystemCalls(disk))
        _ = try guardian.load()
    }

    /// Runs a history.
    static func run(seed: UInt64, removesFiles: Bool) async throws {
        let history = try StoreHistory(seed: seed, removesFiles: removesFiles)
        do {
            for _ in 0..<2 { try await history.open() }
            for _ in 0..<3 {
                for _ in 0..<(6 + history.below(10)) {
                    try await history.step()
                    await history.removeFilesSometimes()
                    try history.check()
                }
                try await history.quiesce()
            }
            try await history.closeAll()
        } catch {
            await history.end()
            let text = history.steps.joined(separator: "\n  ")
            throw Violation(
                description:
                    "\(error)\nThe history with the seed \(seed)\(removesFiles ? ", with removals" : ""):\n  \(text)")
        }
    }

    func note(_ step: String) { steps.append(step) }

    func check() throws {
        if let violation = ledger.violation { throw Violation(description: violation) }
    }

    func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    /// A store's values, without defaults.
    static func values(of store: SettingsStore, _ settings: StoreHistorySettings?) -> [String: Int] {
        var values: [String: Int] = [:]
        guard let settings else {
            for key in StoreHistoryKeys.all { values[key] = (try? store.keys.value(forKey: key, as: Int.self)) ?? nil }
            return values
        }
        for key in StoreHistoryKeys.single {
            if let value = settings.setting(at: key)?.value, value != 0 { values[key] = value }
        }
        for (name, value) in settings.table { values["table." + name] = value }
        return values
    }

    // MARK: Steps

    var isFileLocked: Bool { members.contains { $0.mayHaveLock } }

    func step() async throws {
        if members.count < 2 || (members.count < Self.mostStores && below(10) == 0) {
            if !isFileLocked { return try await open() }
        }
        guard !members.isEmpty else { return }
        let member = members[below(members.count)]
        switch below(24) {
        case 0..<6: write(member)
        case 6..<8: await flush(member)
        case 8..<11: await commit(member)
        case 11..<13: try await hold(member)
        case 13: await release(member)
        case 14..<16: await beginWriting(member)
        case 16: await endWriting(member)
        case 17, 18: fail(member)
        case 19: await advance()
        case 20..<22: try edit()
        case 22: await close(member)
        default: try await letGo(member)
        }
        if below(2) == 0 { tell() }
        await settle()
    }

    /// Lets the stores do their pending work.
    func settle() async {
        for _ in 0..<2 {
            await Task.yield()
            guard !isFileLocked else { continue }
            for member in members where member.hold == nil { _ = await member.store?.lockWaitCount }
        }
    }

    func tell() {
        for member in members { member.watching.tell([.places]) }
    }

    func open() async throws {
        count += 1
        let isDeclared = below(3) > 0
        let member = try await StoreHistoryMember(
            number: count, on: disk, clock: clock, isDeclared: isDeclared, history: keepsHistory ? .keep() : .unchanged)
        members.append(member)
        guard let store = member.store else { return }
        var values: [String: Int] = [:]
        ledger.check(by: member.name) {
            values = Self.values(of: store, member.settings)
            return values
        }
        note("\(member.name) opens\(isDeclared ? "" : " without settings") and finds \(shown(values))")
    }

    func drawWrites(_ most: Int) -> [StoreHistoryWrite] {
        (0...below(most)).map { _ in
            count += 1
            let key = StoreHistoryKeys.all[below(StoreHistoryKeys.all.count)]
            let dictionary = below(2) == 0 ? "g" : "table"
            switch below(12) {
            case 0..<7: return .set(key, count)
            case 7..<9:
                let keys = (StoreHistoryKeys.dictionaries[dictionary] ?? []).filter { _ in below(2) == 0 }
                let values = keys.enumerated().map { ($1, count * 10 + $0) }
                if values.isEmpty { return .remove(dictionary) }
                return .replace(dictionary, Dictionary(uniqueKeysWithValues: values))
            case 9: return .remove(key)
            case 10: return .remove(dictionary)
            default: return .reset
            }
        }
    }

    func write(_ member: StoreHistoryMember) {
        guard !member.isWriting, let store = member.store else { return }
        // A waiting commit of the same store could come between the ledger's record and the assignment.
        if below(2) == 0, !member.isClosing, !member.hasTasks, let settings = member.settings {
            count += 1
            let key = StoreHistoryKeys.single[below(StoreHistoryKeys.single.count)]
            note("\(member.name) assigns \(count) to \(key)")
            ledger.record([key: count], by: member.number)
            try? settings.setting(at: key)?.set(count)
            return
        }
        write(drawWrites(3), member, store)
    }

    func write(_ writes: [StoreHistoryWrite], _ member: StoreHistoryMember, _ store: SettingsStore) {
        do {
            try writes.perform(in: store, member.settings, by: member.number, ledger)
            note("\(member.name) writes \(writes)")
        } catch {
            note("\(member.name) can't write \(writes): \(error)")
        }
    }

    /// Runs a call, and waits for its end unless something holds it up.
    func run(
        _ member: StoreHistoryMember, _ name: String, locks: Bool = false, isKept: Bool = false,
        _ body: @escaping @Sendable () async throws -> Void
    ) async {
        let isKept = isKept || member.hold != nil || isFileLocked || (locks && member.isWriting)
        let (ledger, who) = (ledger, member.name)
        let (mayFail, hasClosed) = (member.mayFail, member.hasClosed)
        note("\(who) \(name)\(isKept ? ", which has to wait" : "")")
        let task = Task {
            do {
                try await body()
            } catch {
                let code = (error as? SettingsError)?.code
                let isClosed = hasClosed.isRaised && code == .closed
                if !mayFail.isRaised, !isClosed, code != .superseded {
                    ledger.report("\(who) \(name), which throws: \(error)")
                }
            }
        }
        member.add(task, locks: locks)
        if !isKept { await member.collect() }
    }

    func flush(_ member: StoreHistoryMember, isKept: Bool = false) async {
        guard let store = member.store else { return }
        let (ledger, number) = (ledger, member.number)
        let begin = ledger.tick()
        let lost = member.lost
        await run(member, "flushes", isKept: isKept) {
            do {
                try await store.flush()
            } catch {
                lost.note(of: store, by: number, until: begin, in: ledger)
                if (error as? SettingsError)?.code == .storage { ledger.fail(number, until: begin) }
                throw error
            }
            lost.note(of: store, by: number, until: begin, in: ledger)
            ledger.acknowledge(number, until: begin)
        }
        if !isKept { lookFromOutside() }
    }

    func commit(_ member: StoreHistoryMember, isKept: Bool = false) async {
        guard let store = member.store else { return }
        let (ledger, number, name, settings) = (ledger, member.number, member.name, member.settings)
        // A commit that will be held must not be refused first.
        var writes = below(2) == 0 && !isKept ? drawWrites(2) : []
        count += 1
        writes.append(.set("n", count))
        let isVisit = below(2) == 0
        let lost = member.lost
        await run(member, "commits \(writes)", locks: true, isKept: isKept) { [writes] in
            let span = LockedValue((begin: 0, end: 0))
            let body: @Sendable () throws -> Int = {
                // Values given up before now are lost for all earlier writes; this commit's writes come later.
                span.withLock { $0.begin = ledger.tick() }
                ledger.check(by: "the commit of \(name)") { Self.values(of: store, settings) }
                try writes.perform(in: store, settings, by: number, ledger)
                let end = ledger.tick()
                span.withLock { $0.end = end }
                return end
            }
            do {
                let end = isVisit ? try await Self.visit(store, body) : try await store.commit(body)
                lost.note(of: store, by: number, until: span.withLock { $0.begin }, in: ledger)
                ledger.acknowledge(number, until: end)
            } catch let error as SettingsError where error.code == .storage {
                let span = span.withLock { $0 }
                lost.note(of: store, by: number, until: span.end, in: ledger)
                if (error.underlying as? StorageError)?.isOutcomeUnknown == false {
                    ledger.giveUp(number, from: span.begin, until: span.end)
                } else {
                    ledger.fail(number, until: span.end)
                }
                throw error
            }
        }
        if !isKept { lookFromOutside() }
    }

    /// A commit whose closure is isolated to an actor.
    @MainActor private static func visit(
        _ store: SettingsStore, _ body: @Sendable () throws -> Int
    ) async throws -> Int {
        try await store.commit { try body() }
    }

    func fail(_ member: StoreHistoryMember) {
        if below(2) == 0 {
            let (number, error, forGood) = (below(30), [SystemError.inputOutput, .noSpace][below(2)], below(3) == 0)
            note("\(member.name) will fail with system call \(number)\(forGood ? " and all after it" : ""): \(error)")
            return member.fail(call: number, with: error, forGood: forGood)
        }
        let operation = [FailingStorage.Operation.append, .syncedAppend, .checkpoint, .lock][below(4)]
        let (number, moment) = (1 + below(3), below(3) == 0 ? FailingStorage.Moment.after : .before)
        // A failure after the lock would leave it taken, and only the storage could know what an append that throws has
        // left: syncs fail through the system calls above.
        if operation != .checkpoint, moment == .after { return }
        note("\(member.name) will fail with \(operation), \(number) times, \(moment) it")
        member.fail(operation, count: number, moment)
    }

    func advance() async {
        let spans: [Duration] = [.milliseconds(2), .milliseconds(50), .milliseconds(250), .seconds(2), .seconds(10)]
        let span = spans[below(spans.count)]
        note("the time goes on by \(span)")
        clock.advance(by: span)
    }
}

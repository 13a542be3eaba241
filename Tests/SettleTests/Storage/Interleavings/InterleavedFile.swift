import Foundation
import Settle
import SettleTesting

/// Processes and people that use one settings file at the same time, in an order of all their system calls that a
/// scheduler chooses, and what must be true whatever it has chosen.
///
/// What a key has in the end must be of a write that none has followed for certain (``WriteLog``). Everybody must find
/// the same. A load finds nothing wrong, and who only reads changes nothing.
final class InterleavedFile: Sendable {
    struct Violation: Error, CustomStringConvertible { let description: String }

    struct Log: Sendable {
        var writes: WriteLog
        var tickets: [Int: [WriteLog.Ticket]] = [:]
        var steps: [String] = []
        var error: String?
        /// How often `n` was counted up for certain, and how often perhaps.
        var counts = 0
        var possibleCounts = 0
        /// The processes that have had the file open.
        var opened: Set<Int> = []
        /// Whether somebody has removed or replaced files.
        var isDisturbed = false
        /// The actors that are in the middle of an action, and how many have been begun.
        var running: Set<Int> = []
        var begun = 0
        /// The processes that are just writing the file, perhaps.
        var checkpointing: Set<Int> = []
        /// The comment with which the last edit begins, and how many are being made.
        var note: String?
        var editing = 0
        /// What people have in their editors, and their backup.
        var editors: [Int: SettingTree] = [:]
        var backup: [Gone: [UInt8]] = [:]
    }

    struct Process: Sendable {
        var storage: FileStorage
        /// The values that the process would show.
        var known: SettingTree
        var isReadOnly = false
        /// Whether it has stored something since it opened the file. One that only looks does not tell others what has
        /// been edited.
        var hasWritten = false
    }

    let layout: FileLayout
    var url: URL { layout.url }
    var names: FileNames { layout.names }
    /// What the file has at first.
    static let start: [String: Int64?] = ["a": 1, "b": 1, "c": nil, "n": 0]

    let disk = SimulatedDisk()
    let scheduler: CallScheduler
    let calls: [ScheduledCalls]
    let scripts: [[Action]]
    let processes: [LockedValue<Process?>]
    let log = LockedValue(Log(writes: WriteLog(start)))
    /// How many actions have been carried out without a schedule, each as a whole.
    private let wholeActions = LockedValue<Int?>(nil)
    let afterPowerLoss = LockedValue<(disks: [SimulatedDisk], log: Log)?>(nil)
    let seed: UInt64
    let journalLimit: Int
    /// What all processes say is state.
    let state: Set<SettingKey>
    /// Whether calls may fail because of what people do. A store tries again.
    let letsCallsFail: Bool

    private init(
        _ scripts: [[Action]], _ plan: CallScheduler.Plan, journalLimit: Int, state: Set<SettingKey> = [],
        layout: FileLayout
    ) throws {
        self.layout = layout
        self.scripts = scripts
        self.state = state
        self.journalLimit = journalLimit
        letsCallsFail = scripts.joined().contains(where: \.letsCallsFail)
        seed = if case .random(let seed, _) = plan { seed } else { 1 }
        let scheduler = CallScheduler(actors: scripts.count, plan: plan)
        self.scheduler = scheduler
        calls = scripts.indices.map { [disk] in ScheduledCalls(disk, of: $0, scheduler) }
        processes = scripts.map { _ in LockedValue(nil) }
        disk.makeStableFolder(layout.path.folder.text)
        let first = FileStorage(at: layout.url, calls: disk)
        _ = try first.load()
        var tree = SettingTree()
        let values = Self.start.map { (SettingKey.path($0), $1.map { SettingValue.integer($0) }) }
        for (key, value) in values { tree[key] = value }
        try first.append(
            StorageBatch(revision: 1, values: Dictionary(uniqueKeysWithValues: values)), durability: .buffered)
        _ = try first.checkpoint(tree, for: .resting)
        first.close()
    }

    /// Runs scripts, some of which may be those of people.
    ///
    /// - Parameter isTraced: Whether each step must be one of the protocol.
    /// - Returns: What the scheduler has chosen.
    @discardableResult
    static func run(
        _ scripts: [[Action]], _ plan: CallScheduler.Plan, journalLimit: Int = 700, isTraced: Bool = false,
        state: Set<SettingKey> = [], layout: FileLayout = .oneFolder
    ) throws -> [CallScheduler.Choice] {
        let file = try InterleavedFile(scripts, plan, journalLimit: journalLimit, state: state, layout: layout)
        if isTraced {
            let trace = ProtocolTrace(file.disk, file.names)
            for calls in file.calls { calls.trace.withLock { $0 = trace } }
        }
        file.scheduler.run(scripts.indices.map { actor in { file.play(actor) } })
        for calls in file.calls { calls.goFree() }
        do {
            if let refusal = file.trace?.refusal { throw Violation(description: refusal) }
            for calls in file.calls { calls.trace.withLock { $0 = nil } }
            try file.check()
        } catch {
            let steps = file.log.withLock { $0.steps }.joined(separator: "\n  ")
            throw Violation(description: "\(error)\n  \(steps)\n  chosen: \(file.scheduler.choices.map(\.chosen))")
        }
        return file.scheduler.choices
    }

    /// Carries out whole actions of actors, one after the other.
    static func run(
        inOrder actions: [(actor: Int, action: Action)], journalLimit: Int = 700, layout: FileLayout = .oneFolder
    ) throws {
        let count = (actions.map(\.actor).max() ?? 0) + 1
        let scripts = (0..<count).map { actor in actions.filter { $0.actor == actor }.map(\.action) }
        let file = try InterleavedFile(scripts, .given([]), journalLimit: journalLimit, layout: layout)
        for calls in file.calls { calls.goFree() }
        file.wholeActions.withLock { $0 = 0 }
        for (actor, action) in actions {
            file.step(actor)
            guard !file.calls[actor].hasEnded else { continue }
            file.play(action, by: actor)
        }
        try file.check()
    }

    /// What follows the processes through the protocol, if anything does.
    var trace: ProtocolTrace? { calls[0].trace.withLock { $0 } }

    /// How many steps have been made.
    var time: Int { wholeActions.withLock { $0 } ?? scheduler.time }

    /// Waits until it is an actor's turn.
    func step(_ actor: Int, notBefore time: Int = 0) {
        let isScheduled = wholeActions.withLock { count in
            count? += 1
            return count == nil
        }
        if isScheduled { scheduler.step(actor, notBefore: time) }
    }

    // MARK: Playing

    private func play(_ actor: Int) {
        for action in scripts[actor] {
            if case .sleep(let time) = action { step(actor, notBefore: time) } else { step(actor) }
            guard !calls[actor].hasEnded, play(action, by: actor) else { return }
        }
    }

    /// - Returns: Whether the actor goes on.
    @discardableResult
    private func play(_ action: Action, by actor: Int) -> Bool {
        let start = time
        log.withLock { log in
            log.running.insert(actor)
            log.begun += 1
        }
        do {
            try perform(action, by: actor, start)
            note(actor, "\(action)", start)
            return true
        } catch {
            note(actor, "\(action) fails: \(error)", start)
            guard !calls[actor].hasEnded else { return false }
            if letsCallsFail { return true }
            log.withLock { $0.error = $0.error ?? "\(actor) \(action): \(error)" }
            return false
        }
    }

    private func note(_ actor: Int, _ text: String, _ start: Int) {
        let end = time
        log.withLock { log in
            log.steps.append("\(start)…\(end) \(actor): \(text)")
            // What has failed, or was interrupted, has taken place by now or never will.
            for ticket in log.tickets[actor] ?? [] { log.writes.end(ticket, end, isCertain: false, isStable: false) }
            log.tickets[actor] = []
            log.checkpointing.remove(actor)
            log.running.remove(actor)
        }
    }

    private func perform(_ action: Action, by actor: Int, _ start: Int) throws {
        switch action {
        case .open: try open(by: actor, isReadOnly: false)
        case .openToRead: try open(by: actor, isReadOnly: true)
        case .set(let values, let durability): try append(values, durability, by: actor, start)
        case .count: try count(by: actor, start)
        case .checkpoint(let reason):
            let process = try process(actor)
            log.withLock { _ = $0.checkpointing.insert(actor) }
            _ = try process.storage.checkpoint(process.known, for: reason)
            log.withLock { $0.writes.didSynchronize(from: start, of: actor) }
        case .look:
            try look(actor, start)
        case .keepHistory(let policy): try process(actor).storage.keepHistory(policy)
        case .withhold(let key): try process(actor).storage.withhold([.path(key)])
        case .forget(let key): try process(actor).storage.forgetHistory(of: .path(key))
        case .close:
            try process(actor).storage.close()
            processes[actor].withLock { $0 = nil }
        case .sleep: break
        case .edit, .editInPlace, .openEditor, .saveEditor, .remove, .moveFolderAway, .backUp, .restore, .kill,
            .losePower:
            try performByHand(action, by: actor, start)
        }
    }
}

import Foundation
import Settle
import SettleTestSupport
import SettleTesting

/// A random history of processes and hand edits that share a settings file on a simulated disk, checked against a
/// model.
struct SharedFileHistory {
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    /// A storage, and the values that its store would know.
    struct Process {
        let name: String
        let calls: FaultySystemCalls
        let storage: FileStorage
        var known: SettingTree
        /// The known values without the pending ones.
        var stored: SettingTree
        /// Values that could not be appended yet.
        var pending: [SettingKey: SettingValue?] = [:]
        /// Whether its load has found the edit, which the journal has not been told: a load writes nothing.
        var holdsEdit = false
        /// The number of events that the process has seen.
        var seen: Int
    }

    enum Outcome: Equatable { case done, failed, died }

    /// For other histories.
    static let url = FileLayout.oneFolder.url
    static let path = FileLayout.oneFolder.rawValue
    static let keys: [SettingKey] = ["a", "b", "c", "g.x", "g.y", "g.h.z"]

    var disk = SimulatedDisk()
    var random: SeededGenerator
    var model = SharedFileModel()
    var processes: [Process] = []
    var person: SettingsPerson
    private(set) var steps: [String] = []
    var count: Int64 = 0
    private let journalLimit: Int
    var hasFaults: Bool
    /// Whether a process has made a call since the last edit.
    var mayHaveSeenEdit = false
    /// Whether a loss of power has left it open whether the journal has the last edits.
    var mayLackEdits = false
    /// Keys of the last checkpoint whose removal has not been journaled since.
    var removable: Set<SettingKey> = []
    /// Whether somebody has edited state in the file of settings.
    var editsStrayState = false
    /// Whether somebody has edited the file of state.
    var editsState = false
    /// What the processes say is state: two of three do, the others are like the command, which declares nothing.
    let state: Set<SettingKey>

    let layout: FileLayout

    /// - Parameter state: Those of the keys that are state.
    init(seed: UInt64, state: Set<SettingKey> = [], layout: FileLayout = .oneFolder) throws {
        self.state = state
        self.layout = layout
        random = SeededGenerator(seed: seed)
        person = SettingsPerson(path: layout.path)
        journalLimit = random.next() % 2 == 0 ? 700 : FileStorage.journalLimit
        hasFaults = random.next() % 2 == 0
        disk.makeStableFolder(layout.path.folder.text)
    }

    static func run(seed: UInt64, steps: Int, state: Set<SettingKey> = [], layout: FileLayout = .oneFolder) throws {
        var history = try SharedFileHistory(seed: seed, state: state, layout: layout)
        do {
            try history.open()
            try history.open()
            for _ in 0..<steps { try history.step() }
            try history.askAll()
            try history.checkState()
        } catch {
            let text = history.steps.joined(separator: "\n  ")
            throw Violation(description: "\(error)\nThe history with the seed \(seed):\n  \(text)")
        }
    }

    mutating func note(_ step: String) { steps.append(step) }

    mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    // MARK: Steps

    private mutating func step() throws {
        if processes.isEmpty || (processes.count < 3 && below(10) == 0) { return try open() }
        if !state.isEmpty, below(10) == 0 { disturbState() }
        let index = below(processes.count)
        switch below(24) {
        case 0..<7: try append(index)
        case 7..<11: try checkpoint(index)
        case 11..<15: try ask(index)
        case 15: try appendLocked(index)
        case 16: try close(index)
        case 17: try kill(index)
        case 18: try losePower()
        case 19: try breakFile()
        case 20: try removeFiles()
        default: try editFile()
        }
        try lookFromOutside()
        guard person.findsNote(on: disk) else { throw Violation(description: "The comment of the last edit is gone.") }
    }

    mutating func open() throws {
        if model.isBroken { try editFile() }
        let calls = FaultySystemCalls(disk)
        let storage = FileStorage(
            at: layout.url, calls: calls, lockTimeout: LockTimeout(limit: .zero), journalLimit: journalLimit)
        count += 1
        let found = try storage.load().tree
        if count % 3 != 0 { storage.keepApart(state: state, from: []) }
        var process = Process(
            name: "P\(count)", calls: calls, storage: storage, known: found, stored: found, seen: model.count)
        process.holdsEdit = !model.edit.isEmpty
        note("\(process.name) opens and finds \(shown(process.known))")
        processes.append(process)
        try check(process)
    }

    /// Determines whether a process has told the journal of the edit that its load had found before the file was
    /// broken.
    private mutating func settleHeldEdit() throws {
        if model.isBroken, processes.contains(where: \.holdsEdit) {
            let found = try journaled()
            if !isSame(found, model.taken) {
                model.takeInEdit(before: true)
                guard isSame(found, model.taken) else {
                    throw Violation(description: "A fresh load finds \(shown(found)) instead of \(shown(model.taken)).")
                }
            }
        }
        guard model.edit.isEmpty else { return }
        for index in processes.indices { processes[index].holdsEdit = false }
    }

    private mutating func batch() -> [SettingKey: SettingValue?] {
        var values: [SettingKey: SettingValue?] = [:]
        for _ in 0...below(2) {
            count += 1
            let value: SettingValue? =
                switch below(8) {
                case 0, 1: nil
                case 2: .date(Date(timeIntervalSinceReferenceDate: Double(count)))
                default: .integer(count)
                }
            let key = Self.keys[below(Self.keys.count)]
            // If an edit and a batch both remove a key, a load can only assume that it was missing before.
            if value == nil, model.edit.keys.contains(key) { continue }
            values.updateValue(value, forKey: key)
        }
        return values
    }

    private mutating func append(_ index: Int) throws {
        var process = processes[index]
        let values = batch()
        let durability: StorageDurability = below(3) == 0 ? .synced : .buffered
        let pending = process.pending.merging(values) { $1 }
        let replaced = pending.keys.reduce(into: [SettingKey: SettingValue]()) { $0[$1] = process.stored[$1] }
        process.known.apply(values)
        process.pending = pending
        processes[index] = process
        for (key, value) in pending where value == nil { removable.remove(key) }
        let (outcome, isFaulty) = try perform(index, "appends \(shown(pending)) \(durability)") {
            (storage) throws(StorageError) in
            try storage.append(
                StorageBatch(revision: 1, values: pending, expectedValues: replaced), durability: durability)
        }
        try resolve(pending, certainly: outcome == .done, holdsEdit: process.holdsEdit, isFaulty: isFaulty)
        guard outcome == .done else { return }
        processes[index].pending = [:]
        processes[index].stored.apply(pending)
        // With nothing to append, what others have appended is not read.
        if !pending.isEmpty { processes[index].seen = model.count }
        if durability == .synced { model.makeStable(processes[index].seen) }
    }

    /// Determines whether a batch was stored, and whether before or after the edit.
    private mutating func resolve(
        _ values: [SettingKey: SettingValue?], certainly: Bool, holdsEdit: Bool, isFaulty: Bool
    ) throws {
        let found = try peek()
        let journaled = try model.isBroken ? journaled() : nil
        var candidates: [SharedFileModel] = []
        var after = model
        after.append(values)
        // What is written comes after an edit, unless that can't be read, or nothing is written.
        if isFaulty || values.isEmpty || model.edit.isEmpty || model.isBroken { candidates.append(after) }
        var told = model
        told.takeInEdit(before: true)
        var taken = told
        taken.append(values)
        if isFaulty || !model.isBroken || holdsEdit { candidates.append(taken) }
        if !certainly { candidates += [model, told] }
        guard
            let chosen = candidates.first(where: { candidate in
                isSame(candidate.mended, found) && journaled.map { isSame(candidate.taken, $0) } != false
            })
        else {
            throw Violation(
                description: "A fresh load finds \(shown(found)) instead of "
                    + candidates.map { shown($0.mended) }.joined(separator: " or "))
        }
        model = chosen
        try settleHeldEdit()
    }

    mutating func checkpoint(_ index: Int) throws {
        // Like the persister, which appends pending values first.
        guard processes[index].pending.isEmpty else { return try append(index) }
        let before = person.contents(of: disk)
        let moment: CheckpointReason = below(2) == 0 ? .settled : .resting
        let tree = processes[index].known
        var isAtRest = false
        let (outcome, _) = try perform(index, "checkpoints \(shown(tree))") { (storage) throws(StorageError) in
            isAtRest = try storage.checkpoint(tree, for: moment)
        }
        let after = person.contents(of: disk)
        if model.isBroken, before != after { throw Violation(description: "An unreadable edit was overwritten.") }
        if before != after {
            model.takeInEdit()
        }
        try settleHeldEdit()
        guard outcome == .done else { return }
        model.makeStable(processes[index].seen)
        // The external changes tell whether the checkpoint has merged an edit.
        if !model.edit.isEmpty { _ = try takeIn(index) }
        if isAtRest, before != after { removable = Set(Self.keys.filter { !isState($0) && model.taken[$0] != nil }) }
    }

    // MARK: State

    func isState(_ key: SettingKey) -> Bool { state.contains { $0 == key || $0.contains(key) } }

    var names: FileNames { layout.names }

    /// The file of settings has no state, and the file of state has all of it and nothing else.
    private mutating func checkState() throws {
        let process = processes.first { $0.storage.hasState && $0.pending.isEmpty }
        guard let process, model.edit.isEmpty, !model.isBroken else { return }
        note("\(process.name) writes the files")
        let values: [SettingKey: SettingValue?] = ["a": .integer(count + 1)]
        try process.storage.append(StorageBatch(revision: 1, values: values), durability: .synced)
        model.append(values)
        _ = try process.storage.externalChanges()
        guard try process.storage.checkpoint(process.known, for: .requested) else {
            throw Violation(description: "The files could not be written.")
        }
        try lookFromOutside()
        let settings = try person.contents(of: disk).map { try FileFormat.json.decode($0) } ?? SettingTree()
        let remembered = SettingsPerson(path: names.state).contents(of: disk).map { try? FileFormat.json.decode($0) }
        var expected = SettingTree()
        for key in Self.keys where isState(key) { expected[key] = model.taken[key] }
        let misplaced = Self.keys.filter { isState($0) && settings[$0] != nil }
        guard misplaced.isEmpty, isSame(remembered.map { $0 ?? SettingTree() } ?? SettingTree(), expected) else {
            throw Violation(
                description:
                    "The file has \(misplaced), that of state \(remembered.map { shown($0 ?? SettingTree()) } ?? "nothing")"
            )
        }
    }

    mutating func ask(_ index: Int) throws {
        _ = try takeIn(index)
    }

    mutating func takeIn(_ index: Int) throws -> Outcome {
        var changes: [ExternalChange] = []
        let (outcome, isFaulty) = try perform(index, "asks") { (storage) throws(StorageError) in
            changes = try storage.externalChanges()
        }
        try settleHeldEdit()
        guard outcome == .done else { return outcome }
        var process = processes[index]
        if process.calls.faultCount > 0 { changes += try process.storage.externalChanges() }
        for change in changes { change.apply(to: &process.stored) }
        process.known = process.stored
        process.known.apply(process.pending)
        processes[index] = process
        steps[steps.count - 1] += " and knows \(shown(process.known))"
        // What a load has found is left to a process that writes. Without the lock no other finding can be told either.
        if isFaulty, !model.isBroken, !model.edit.isEmpty { processes[index].holdsEdit = true }
        if !processes[index].holdsEdit { model.takeInEdit() }
        try settleHeldEdit()
        processes[index].seen = model.count
        // Where the journal has been begun anew by a process that could not read the edit, that counts.
        if model.isBroken, process.holdsEdit, isKnown(model.visible, by: process) { processes[index].holdsEdit = false }
        try check(processes[index])
        return outcome
    }

    private mutating func appendLocked(_ index: Int) throws {
        do {
            try processes[index].storage.lock()
        } catch {
            throw Violation(description: "\(processes[index].name) can't have the lock: \(error)")
        }
        note("\(processes[index].name) locks")
        try settleHeldEdit()
        let storage = processes[index].storage
        defer { storage.unlock() }
        guard try takeIn(index) != .died else { return }
        try append(index)
    }

    private mutating func close(_ index: Int) throws {
        let process = processes.remove(at: index)
        note("\(process.name) closes")
        process.storage.close()
    }

    private mutating func kill(_ index: Int) throws {
        let process = processes.remove(at: index)
        note("\(process.name) is killed")
        process.calls.endProcess()
    }

    private mutating func losePower() throws {
        guard !model.isBroken else { return }
        let disks = disk.disksAfterLossOfPower(limit: 6, seed: random.next())
        disk = disks[below(disks.count)]
        processes = []
        note("The power fails")
        let found = try peek()
        guard model.settle(afterLossOfPower: found, isSame) else {
            throw Violation(
                description: "After the loss of power a load finds \(shown(found)) instead of \(shown(model.visible)).")
        }
        removable = []
        mayLackEdits = true
    }

    // MARK: Calls

    /// Makes a call, which at times a fault interrupts.
    private mutating func perform(
        _ index: Int, _ action: String, _ body: (FileStorage) throws(StorageError) -> Void
    ) throws -> (outcome: Outcome, isFaulty: Bool) {
        let process = processes[index]
        let trouble = hasFaults ? below(6) : 5
        let number = below(trouble == 0 ? 24 : 40)
        process.calls.forget()
        switch trouble {
        case 0:
            let error: SystemError = below(2) == 0 ? .inputOutput : .noSpace
            process.calls.fail(call: number, with: .error(error), forGood: false)
        case 1: process.calls.fail(call: number, with: .error(.inputOutput), forGood: true)
        default: process.calls.fail(call: .max / 2, with: .short, forGood: false)
        }
        var outcome = Outcome.done
        var reason = ""
        do throws(StorageError) {
            try body(process.storage)
        } catch {
            outcome = .failed
            reason = ": \(error)"
        }
        let faults = process.calls.faultCount
        let fault = faults > 0 ? " (trouble with call \(number): \(process.calls.calls[number]))" : ""
        if trouble == 1, faults > 0 {
            outcome = .died
            process.calls.endProcess()
            processes.remove(at: index)
        }
        process.calls.heal()
        mayHaveSeenEdit = true
        note("\(process.name) \(action)\(fault) \(outcome)\(reason)")
        if outcome == .failed, faults == 0 { throw Violation(description: "It failed without a reason\(reason)") }
        return (outcome, faults > 0)
    }
}

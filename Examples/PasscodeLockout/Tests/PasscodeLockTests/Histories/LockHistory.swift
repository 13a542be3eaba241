import Foundation
import PasscodeLock
import Settle
import Synchronization

/// A random history of a lock, its processes, its machine and its files, compared with the ``ReferenceLock``, which
/// says what must happen.
struct LockHistory {
    /// Where the lock is kept.
    enum Place {
        /// In memory, where only one process can run at a time.
        case memory(InMemoryStorage, InMemoryStorage)
        case folder(LockFolder)
    }

    struct Process {
        let number: Int
        let life: ProcessLife
        let process: LockProcess
        let witnessStore: SettingsStore?

        var lock: PasscodeLockout { process.lock }
        var verifier: TestVerifier { process.verifier }
    }

    var place: Place
    var random: SeededGenerator
    let time = SimulatedTime()
    var model = ReferenceLock(passcode: "right 0", uptime: .seconds(1_000))
    var processes: [Process] = []
    private var processCount = 0
    private var textCount = 0
    /// Earlier guesses.
    var guesses: [String] = []
    /// The files at earlier moments, any of which may be restored.
    var earlier: [[String: Data]] = []
    /// The files of another lock.
    var foreign: [String: Data]?
    private var cloneCount = 0
    /// The file of the witness, if there is one.
    let witnessFile: URL?
    /// The lock can no longer be used. That is strict enough, and ends the history.
    var isOver = false
    private(set) var steps: [String] = []

    init(seed: UInt64, in folder: LockFolder?) {
        random = SeededGenerator(state: seed)
        witnessFile = folder.flatMap { folder in
            seed % 2 == 0 ? folder.url.deletingLastPathComponent().appending(path: "witness/witness.json") : nil
        }
        place = folder.map { .folder($0) } ?? .memory(InMemoryStorage(), InMemoryStorage())
    }

    /// Runs a history, in files if there is a folder.
    ///
    /// - Returns: The steps taken.
    @discardableResult
    static func run(seed: UInt64, steps: Int, in folder: LockFolder? = nil) async throws -> [String] {
        var history = LockHistory(seed: seed, in: folder)
        do {
            try await history.begin()
            for _ in 0..<steps where !history.isOver { try await history.step() }
            try await history.killAll()
        } catch {
            let text = history.steps.joined(separator: "\n  ")
            throw LockViolation("\(error)\nThe history with the seed \(seed):\n  \(text)")
        }
        return history.steps
    }

    mutating func note(_ step: String) { steps.append(step) }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    mutating func newText() -> String {
        textCount += 1
        return "text \(textCount)"
    }

    mutating func nextClone() -> Int {
        cloneCount += 1
        return cloneCount
    }

    func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
        guard condition else { throw LockViolation(sentence()) }
    }

    // MARK: Processes

    private mutating func begin() async throws {
        let process = try await open()
        let result = try await process.lock.enrol(Passcode(model.passcode))
        try require(result == .accepted, "The first passcode was not accepted: \(result).")
    }

    @discardableResult
    mutating func open() async throws -> Process {
        processCount += 1
        let life = ProcessLife()
        let stores: [SettingsStore]
        switch place {
        case .memory(let first, let second):
            let storages = [InMemoryStorage(first.tree), InMemoryStorage(second.tree)]
            place = .memory(storages[0], storages[1])
            stores = [
                try await SettingsStore.open(storage: MortalStorage(storages[0], of: life)),
                try await SettingsStore.open(storage: MortalStorage(storages[1], of: life)),
            ]
        case .folder(let folder):
            let opened = try await folder.openStores { MortalStorage($0, of: life) }
            // The second file's name may be given first.
            stores = below(4) == 0 ? opened.reversed() : opened
        }
        var witness: StoredWitness?
        var witnessStore: SettingsStore?
        if let witnessFile {
            let store = try await SettingsStore.open(storage: MortalStorage(FileStorage(at: witnessFile), of: life))
            witness = try await StoredWitness(in: store)
            witnessStore = store
        }
        let process = Process(
            number: processCount, life: life,
            process: try await LockProcess(on: stores, time: time, witness: witness), witnessStore: witnessStore)
        processes.append(process)
        note("process \(processCount) opens the lock")
        return process
    }

    var hasFiles: Bool {
        if case .folder = place { true } else { false }
    }

    /// Whether another process can be opened beside those running.
    var canOpenAnother: Bool { processes.isEmpty || (hasFiles && processes.count < 3) }

    /// Ends a process between two of its system calls.
    mutating func kill(_ index: Int) async throws {
        let process = processes.remove(at: index)
        process.life.bury()
        // It can no longer store anything; this only releases its open files.
        try? await process.process.close()
        try? await process.witnessStore?.close()
        model.kill(process.number)
        note("process \(process.number) is killed")
    }

    mutating func killAll() async throws {
        while !processes.isEmpty { try await kill(0) }
    }

    mutating func closeOne() async throws {
        let process = processes.remove(at: below(processes.count))
        try await process.process.close()
        try await process.witnessStore?.close()
        model.kill(process.number)
        note("process \(process.number) ends")
    }

    // MARK: Agreement

    /// A process must agree with the model, to the nanosecond.
    func check(_ process: Process) async throws {
        let status = try await process.process.freshStatus()
        try require(status == model.status, "Process \(process.number) says \(status) instead of \(model.status).")
        let current = await process.lock.status()
        try require(current == status, "Process \(process.number) says \(current) a moment after \(status).")
        let count = await process.lock.attemptCount
        try require(count == model.count, "Process \(process.number) has \(count ?? -1) tries, not \(model.count).")
        try require(model.isWithinTable, "\(model.compared) guesses were compared in \(model.elapsed).")
    }

    /// Opens the lock after an event whose outcome the rules leave open, and continues with what is found.
    ///
    /// - Parameters:
    ///   - counts: The numbers of tries that may be found.
    ///   - status: The mildest status that may be found with the lowest number.
    mutating func reopen(
        allowing counts: ClosedRange<Int>, atLeast status: LockStatus, wasCompared: Bool = false,
        wasRight: Bool = false
    ) async throws {
        let process = try await open()
        let found = try await process.process.freshStatus()
        if case .unavailable(let reason) = found {
            try require(reason != .notEnrolled, "The lock takes itself for a new one.")
            note("nobody can use the lock any more: \(reason)")
            isOver = true
            return
        }
        let count = try await process.lock.attemptCount.orThrow("The lock says \(found), but no number of tries.")
        note("it has \(count) tries and says \(found)")
        try require(counts.contains(count), "There are \(count) tries instead of \(counts).")
        try require(!found.isLessStrict(than: status), "It says \(found), and had said \(status).")
        model.adopt(count: count, status: found, compared: wasCompared ? 1 : 0, wasRight: wasRight)
        try await check(process)
    }
}

extension Optional {
    func orThrow(_ sentence: String) throws -> Wrapped {
        guard let self else { throw LockViolation(sentence) }
        return self
    }
}

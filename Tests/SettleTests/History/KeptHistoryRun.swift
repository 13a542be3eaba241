import Foundation
import SettleTestSupport
import SettleTesting

@testable import Settle

/// A random life of processes that share a file with a history, compared with a list in memory.
///
/// The list is what one follower has been told who asks after each step, each time another process. Each transaction
/// that was acknowledged must be in it once, it must lead from the values before to those after, and whoever comes back
/// with the token of any place must be told the rest of the list, or that this is not known any more.
///
/// In half of the lives people copy the files and put some of them back later, or save what their editor has read long
/// before. Then no place may lead anywhere else than to the values in force. In half of those whose history is kept one
/// key is a secret, which two of three processes declare, and of which none is told a value.
struct KeptHistoryRun {
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    struct Process {
        let name: String
        let calls: FaultySystemCalls
        let storage: FileStorage
        let declaresSecret: Bool
        var revision: UInt64 = 0
    }

    struct Entry {
        var token: ChangeToken
        var transaction: StoredTransaction
    }

    static let url = URL(filePath: "/home/settings.json")
    static let names = FileNames(FilePath("/home/settings.json"))
    private static let keys: [SettingKey] = ["a", "b", "g.x", "g.y"]

    var disk = SimulatedDisk()
    private var random: SeededGenerator
    var processes: [Process] = []
    var person = SettingsPerson(path: FilePath("/home/settings.json"))
    private var steps: [String] = []
    private var count: Int64 = 0
    private let journalLimit: Int
    let isKept: Bool
    /// How many transactions are kept.
    let bound: Int
    private var hasFaults = false
    /// Whether the file of the past has been damaged: any of its records may be missing from then on, and none is
    /// wrong.
    var isDamaged = false
    private let mayBeDamaged: Bool
    /// What the follower has been told, and where it began.
    var list: [Entry] = []
    var beginning: ChangeToken?
    var base = SettingTree()
    /// The authors of acknowledged transactions that the follower has not been told of yet, by their numbers.
    var awaited: Set<Int64> = []
    var found: Set<Int64> = []
    /// The place of the last transaction that was reported stable.
    var stable: ChangeToken?
    /// A generator of its own, so that a life is otherwise the same with and without copies.
    var copying: SeededGenerator
    let copiesFiles: Bool
    var copies: [[FilePath: [UInt8]]] = []
    /// Whether files have been put back since the follower began: any place may be unknown, and none may mislead.
    var isRestored = false
    /// Which values places stood for, the follower's and those of before.
    var places: [(token: ChangeToken, tree: SettingTree)] = []
    let secret: SettingKey?
    /// Whether the journal must know of the secret.
    var isSecretKnown = false
    var losses = 0
    var resumptions = 0

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        journalLimit = [300, 700, FileStorage.journalLimit][Int(random.next() % 3)]
        isKept = random.next() % 4 != 0
        mayBeDamaged = random.next() % 4 == 0
        bound = random.next() % 2 == 0 ? 1 + Int(random.next() % 12) : 10_000
        copying = SeededGenerator(seed: ~seed)
        copiesFiles = copying.next() % 2 == 0
        let hasSecret = copying.next() % 2 == 0
        secret = isKept && hasSecret ? "a" : nil
        try FileOperations(disk).makeFolder(FilePath("/home"))
        try FileOperations(disk).synchronizeFolder(FilePath("/"))
    }

    /// - Returns: How often a loss was told, and how often somebody came back.
    static func run(seed: UInt64, steps: Int) throws -> (losses: Int, resumptions: Int) {
        var run = try KeptHistoryRun(seed: seed)
        do {
            try run.open()
            if run.isKept {
                try run.processes[0].storage.keepHistory(.keep(transactions: run.bound, for: .days(100_000)))
            }
            run.note(run.isKept ? "The history is kept" : "No history is kept")
            if let token = run.processes[0].storage.token { run.places.append((token, SettingTree())) }
            try run.append(0)
            run.begin(at: try run.settle(0))
            run.hasFaults = run.below(2) == 0
            for _ in 0..<steps {
                try run.step()
                if run.copiesFiles { try run.useCopies() }
                try run.follow()
                try run.comeBack()
            }
            return (run.losses, run.resumptions)
        } catch {
            throw Violation(
                description: "\(error)\nThe life with the seed \(seed):\n  \(run.steps.joined(separator: "\n  "))")
        }
    }

    mutating func note(_ step: String) { steps.append(step) }

    mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    // MARK: Steps

    private mutating func step() throws {
        if processes.isEmpty || (processes.count < 3 && below(8) == 0) { return try open() }
        let index = below(processes.count)
        switch below(21) {
        case 0..<9: try append(index)
        case 9..<12: try checkpoint(index)
        case 12, 13: try edit()
        case 14: close(index)
        case 15: kill(index)
        case 16: try losePower()
        case 17: try removeFiles(index)
        case 18: if mayBeDamaged { try damagePast() }
        default: try look(index)
        }
    }

    private mutating func open() throws {
        count += 1
        let calls = FaultySystemCalls(disk)
        let storage = FileStorage(
            at: Self.url, calls: calls, lockTimeout: LockTimeout(limit: .zero), journalLimit: journalLimit)
        let contents = try storage.load()
        let process = Process(
            name: "P\(count)", calls: calls, storage: storage, declaresSecret: secret != nil && count % 3 != 0)
        processes.append(process)
        // As the persister, which tells the storage before anything else.
        if let secret, process.declaresSecret, (try? storage.withhold([secret])) != nil { isSecretKnown = true }
        note("P\(count) opens at \(text(contents.token))")
    }

    private mutating func append(_ index: Int) throws {
        var process = processes[index]
        // As the persister: with what others have stored.
        guard let tree = try? settledTree(of: process) else { return }
        let number = UInt64(1 + below(3))
        var (values, before): ([SettingKey: SettingValue?], [SettingKey: SettingValue]) = ([:], [:])
        var list: [StoredTransaction] = []
        var state = tree
        var names: [Int64] = []
        for _ in 0..<number {
            count += 1
            let key = Self.keys[below(Self.keys.count)]
            let value: SettingValue? = below(5) == 0 ? nil : .integer(count)
            let mutation = StoredMutation(key: key, oldValue: state[key], newValue: value)
            state[key] = value
            values.updateValue(value, forKey: key)
            before[key] = tree[key]
            names.append(count)
            list.append(
                StoredTransaction(
                    time: Double(count), author: TransactionAuthor(name: "\(count)", process: 1), origin: .local,
                    mutations: mutation.oldValue == mutation.newValue ? [] : [mutation]))
        }
        process.revision += number
        processes[index] = process
        let durability: StorageDurability = below(2) == 0 ? .synced : .buffered
        let batch = StorageBatch(
            revision: process.revision, values: values, expectedValues: before, author: "\(count)",
            transactionCount: number, transactions: process.storage.keepsHistory ? list : [])
        var receipt: StorageReceipt?
        let isDone = perform(index, "appends \(names) \(durability)") { (storage) throws(StorageError) in
            receipt = try storage.append(batch, durability: durability)
        }
        guard isDone, let receipt else { return }
        guard let token = receipt.token else { throw Violation(description: "An append has no place.") }
        steps[steps.count - 1] += " at \(text(token))"
        if durability == .synced { stable = token }
        // Unlisted transactions have the author of the last one.
        awaited.formUnion(process.storage.keepsHistory ? names : names.suffix(1))
    }

    private mutating func checkpoint(_ index: Int) throws {
        let process = processes[index]
        guard let tree = try? settledTree(of: process) else { return }
        _ = perform(index, "checkpoints") { (storage) throws(StorageError) in
            _ = try storage.checkpoint(tree, for: .resting)
        }
    }

    private mutating func look(_ index: Int) throws {
        _ = perform(index, "looks") { (storage) throws(StorageError) in _ = try storage.externalChanges() }
    }

    private mutating func edit() throws {
        guard person.contents(of: disk) != nil else { return }
        count += 1
        try person.edit([Self.keys[below(Self.keys.count)]: .integer(count)], on: disk)
        note("Somebody edits \(count)")
    }

    private mutating func close(_ index: Int) {
        let process = processes.remove(at: index)
        process.storage.close()
        note("\(process.name) closes")
    }

    private mutating func kill(_ index: Int) {
        let process = processes.remove(at: index)
        process.calls.endProcess()
        note("\(process.name) is killed")
    }

    private mutating func losePower() throws {
        let disks = disk.disksAfterLossOfPower(limit: 6, seed: random.next())
        disk = disks[below(disks.count)]
        processes = []
        note("The power fails")
        awaited = []
        try open()
        try checkStable()
        // What was not synced may be gone; where the list ends now is told by the file.
        guard !processes.isEmpty, let end = try? settle(0) else { return }
        while let last = list.last, try records(after: last.token, of: 0) == nil { list.removeLast() }
        found = Set(list.compactMap { $0.transaction.author.name.flatMap { Int64($0) } })
        if list.isEmpty, isKept, try beginning.map({ try records(after: $0, of: 0) == nil }) ?? true { begin(at: end) }
    }

    /// What was stable is still a place to go on from, if a history is kept.
    private mutating func checkStable() throws {
        guard isKept, let stable else { return }
        guard try records(after: stable, of: 0) != nil || mayBeForgotten(stable, 0) else {
            throw Violation(description: "The stable place \(text(stable)) is not known after a loss of power.")
        }
    }

    private mutating func removeFiles(_ index: Int) throws {
        // What has been noticed before is stored again.
        guard (try? settledTree(of: processes[index])) != nil else { return }
        try follow()
        let gone = [Self.names.file, Self.names.journal].filter { _ in below(2) == 0 }
        isSecretKnown = false
        for path in gone { try? disk.removeFile(path.text) }
        note("Somebody removes \(gone.map(\.name))")
        _ = try? settledTree(of: processes[index])
    }

    // MARK: Faults

    /// Changes a byte of what is kept of the past, if anything is.
    private mutating func damagePast() throws {
        let (operations, path) = (FileOperations(disk), Self.names.journal)
        guard let file = try? operations.open(path, .update) else { return }
        defer { try? operations.close(file, at: path) }
        let start = try operations.read(file, at: path, offset: 0, count: JournalHeader.size)
        guard let header = start.withUnsafeBytes({ try? JournalHeader.decode($0) }) else { return }
        let size = Int(header.base) - JournalHeader.size
        guard size > 0 else { return }
        let offset = JournalHeader.size + below(size)
        var bytes = try operations.read(file, at: path, offset: offset, count: 1)
        guard !bytes.isEmpty else { return }
        bytes[0] ^= UInt8(1 + below(255))
        try operations.write(bytes, to: file, at: path, offset: offset)
        isDamaged = true
        note("The past is damaged at \(offset)")
    }

    /// - Returns: Whether the call succeeded. A process that dies in it is gone.
    private mutating func perform(
        _ index: Int, _ action: String, _ body: (FileStorage) throws(StorageError) -> Void
    ) -> Bool {
        let process = processes[index]
        let trouble = hasFaults ? below(8) : 7
        let number = below(30)
        process.calls.forget()
        switch trouble {
        case 0: process.calls.fail(call: number, with: .error(.inputOutput), forGood: false)
        case 1: process.calls.fail(call: number, with: .error(.noSpace), forGood: false)
        case 2: process.calls.fail(call: number, with: .error(.inputOutput), forGood: true)
        default: process.calls.fail(call: .max / 2, with: .short, forGood: false)
        }
        var isDone = true
        do throws(StorageError) {
            try body(process.storage)
        } catch {
            isDone = false
        }
        let faults = process.calls.faultCount
        let fault = faults > 0 ? " (trouble \(trouble) with call \(number): \(process.calls.calls[number]))" : ""
        if trouble == 2, faults > 0 {
            process.calls.endProcess()
            processes.remove(at: index)
        }
        process.calls.heal()
        note("\(process.name) \(action)\(fault) \(isDone ? "done" : "failed")")
        return isDone
    }

    func text(_ token: ChangeToken?) -> String { token.map { "\($0.position)" } ?? "no place" }
}

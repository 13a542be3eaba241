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

    private struct Process {
        let name: String
        let calls: FaultySystemCalls
        let storage: FileStorage
        let declaresSecret: Bool
        var revision: UInt64 = 0
    }

    private struct Entry {
        var token: ChangeToken
        var transaction: StoredTransaction
    }

    private static let url = URL(filePath: "/home/settings.json")
    private static let names = FileNames(FilePath("/home/settings.json"))
    private static let keys: [SettingKey] = ["a", "b", "g.x", "g.y"]

    private var disk = SimulatedDisk()
    private var random: SeededGenerator
    private var processes: [Process] = []
    private var person = SettingsPerson(path: FilePath("/home/settings.json"))
    private var steps: [String] = []
    private var count: Int64 = 0
    private let journalLimit: Int
    private let isKept: Bool
    /// How many transactions are kept.
    private let bound: Int
    private var hasFaults = false
    /// Whether the file of the past has been damaged: any of its records may be missing from then on, and none is
    /// wrong.
    private var isDamaged = false
    private let mayBeDamaged: Bool
    /// What the follower has been told, and where it began.
    private var list: [Entry] = []
    private var beginning: ChangeToken?
    private var base = SettingTree()
    /// The authors of acknowledged transactions that the follower has not been told of yet, by their numbers.
    private var awaited: Set<Int64> = []
    private var found: Set<Int64> = []
    /// The place of the last transaction that was reported stable.
    private var stable: ChangeToken?
    /// A generator of its own, so that a life is otherwise the same with and without copies.
    private var copying: SeededGenerator
    private let copiesFiles: Bool
    private var copies: [[FilePath: [UInt8]]] = []
    /// Whether files have been put back since the follower began: any place may be unknown, and none may mislead.
    private var isRestored = false
    /// Which values places stood for, the follower's and those of before.
    private var places: [(token: ChangeToken, tree: SettingTree)] = []
    private let secret: SettingKey?
    /// Whether the journal must know of the secret.
    private var isSecretKnown = false
    private(set) var losses = 0
    private(set) var resumptions = 0

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

    private mutating func note(_ step: String) { steps.append(step) }

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

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

    // MARK: Copies

    private mutating func useCopies() throws {
        switch copying.next() % 12 {
        case 0..<3: copyFiles()
        case 3: try restoreFiles()
        case 4: try saveOldText()
        default: break
        }
    }

    private mutating func copyFiles() {
        let paths = [Self.names.file, Self.names.journal, Self.names.previous]
        copies.append(paths.reduce(into: [:]) { $0[$1] = SettingsPerson(path: $1).contents(of: disk) })
        note("Somebody copies the files")
    }

    /// Puts some files back, in any order, whole or not, while processes look at what is there.
    private mutating func restoreFiles() throws {
        guard let copy = copies.randomElement(using: &copying) else { return }
        (isRestored, stable, awaited) = (true, nil, [])
        for (path, bytes) in copy.sorted(by: { $0.key.name < $1.key.name }).shuffled(using: &copying)
        where copying.next() % 2 == 0 {
            let isTorn = copying.next() % 5 == 0
            let isInPlace = copying.next() % 2 == 0
            let part = isTorn ? Array(bytes.prefix(Int(copying.next() % UInt64(bytes.count + 1)))) : bytes
            try SettingsPerson(path: path).put(part, on: disk, isInPlace: isInPlace)
            if isTorn { (isDamaged, isSecretKnown) = (true, false) }
            note("Somebody puts \(path.name) back\(isTorn ? " in part" : "")\(isInPlace ? ", in place" : "")")
            if copying.next() % 2 == 0, let process = processes.randomElement(using: &copying) {
                _ = try? settledTree(of: process)
                note("\(process.name) looks at it")
            }
        }
    }

    /// An editor that has read the file long ago saves what it has.
    private mutating func saveOldText() throws {
        guard let bytes = copies.randomElement(using: &copying)?[Self.names.file] else { return }
        try SettingsPerson(path: Self.names.file).put(bytes, on: disk, isInPlace: copying.next() % 2 == 0)
        note("An editor saves an old text")
    }

    /// Whatever place somebody comes back with, it leads to the values in force, or it is said that it does not.
    private mutating func checkPlaces(_ tree: SettingTree, _ index: Int) throws {
        for _ in 0..<min(4, places.count) {
            guard let (token, before) = places.randomElement(using: &copying),
                let records = try records(after: token, of: index)
            else { continue }
            var state = before
            let transactions = records.flatMap(\.transactions)
            guard transactions.allSatisfy({ $0.mutations != nil }) else { continue }
            for mutation in transactions.flatMap({ $0.mutations ?? [] }) { state[mutation.key] = mutation.newValue }
            guard leaves(state) == leaves(tree) else {
                throw Violation(
                    description: "\(text(token)) leads \(processes[index].name) to \(leaves(state)) instead of "
                        + "\(leaves(tree)).")
            }
        }
    }

    // MARK: The follower

    private mutating func begin(at token: ChangeToken?) {
        // What a copy has was there before.
        if isRestored { found = [] }
        isRestored = false
        list = []
        awaited = []
        beginning = token
        base = processes.first.flatMap { try? settledTree(of: $0) } ?? base
        losses += 1
    }

    /// Takes the lock, so that all that is left is done, and tells where the history stands.
    private func settle(_ index: Int) throws -> ChangeToken? {
        _ = try settledTree(of: processes[index])
        return processes[index].storage.token
    }

    private func settledTree(of process: Process) throws -> SettingTree {
        try process.storage.lock()
        process.storage.unlock()
        _ = try process.storage.externalChanges()
        return try FileStorage(
            at: Self.url, calls: FaultySystemCalls(disk), lockTimeout: LockTimeout(limit: .zero)
        ).load().tree
    }

    private mutating func follow() throws {
        guard !processes.isEmpty else { return }
        let index = below(processes.count)
        let tree: SettingTree
        do {
            tree = try settledTree(of: processes[index])
        } catch {
            return
        }
        guard let place = list.last?.token ?? beginning else { return begin(at: processes[index].storage.token) }
        guard let new = try records(after: place, of: index) else {
            guard !isKept || mayBeForgotten(place, index) else {
                throw Violation(description: "What came after \(text(place)) is not known.")
            }
            note("The follower is told of a loss after \(text(place))")
            return begin(at: processes[index].storage.token)
        }
        let withholds = processes[index].storage.keepsHistory
        for (token, transaction) in new.flatMap(\.entries) {
            let entry = Entry(token: token, transaction: transaction)
            if withholds { try checkSecret(entry) }
            try take(entry)
        }
        try check(tree, index)
        try checkPlaces(tree, index)
        if let token = processes[index].storage.token { places.append((token, tree)) }
    }

    private mutating func take(_ entry: Entry) throws {
        let last = list.last?.token ?? beginning
        guard entry.token.position - entry.transaction.count == last?.position else {
            throw Violation(description: "\(text(entry.token)) does not follow \(text(last)).")
        }
        list.append(entry)
        guard let name = entry.transaction.author.name.flatMap({ Int64($0) }) else { return }
        guard found.insert(name).inserted else { throw Violation(description: "\(name) is told twice.") }
        awaited.remove(name)
    }

    private func checkSecret(_ entry: Entry) throws {
        guard let secret, isSecretKnown else { return }
        for mutation in entry.transaction.mutations ?? [] where mutation.key == secret && !mutation.isWithheld {
            throw Violation(description: "\(text(entry.token)) tells a value of the secret.")
        }
    }

    /// Everything that was acknowledged is in the list, and the list leads to what is stored.
    private func check(_ tree: SettingTree, _ index: Int) throws {
        let known = processes[index].storage.session.withLock { $0.inForce.tree }
        guard known == tree || person.spelled(known) == person.spelled(tree) else {
            throw Violation(
                description: "\(processes[index].name) knows \(SettingTreeText.leaves(of: known)), and a process that "
                    + "starts now \(SettingTreeText.leaves(of: tree)).")
        }
        guard awaited.isEmpty else { throw Violation(description: "\(awaited.sorted()) are not in the history.") }
        guard let token = processes[index].storage.token, token == list.last?.token ?? beginning else {
            throw Violation(description: "The list ends elsewhere than at \(text(processes[index].storage.token)).")
        }
        guard list.allSatisfy({ $0.transaction.mutations != nil }) else { return }
        var state = base
        for entry in list {
            for mutation in entry.transaction.mutations ?? [] where mutation.key != secret {
                guard state[mutation.key] == mutation.oldValue else {
                    let old = SettingTreeText.text(mutation.oldValue)
                    throw Violation(
                        description: "\(text(entry.token)) replaces \(old) at \(mutation.key) instead of "
                            + SettingTreeText.text(state[mutation.key]))
                }
                state[mutation.key] = mutation.newValue
            }
        }
        guard leaves(state) == leaves(tree) else {
            throw Violation(description: "The list leads to \(leaves(state)) instead of \(leaves(tree)).")
        }
    }

    /// Empty dictionaries don't count, nor does a secret, whose values are not told.
    private func leaves(_ tree: SettingTree) -> [SettingKey: SettingValue?] {
        SettingTreeText.leaves(of: tree).filter { $0.value != .dictionary([:]) && $0.key != secret }
    }

    /// Whether two processes tell the same, but for a secret that one of them did not know of.
    private func areSame(_ one: StoredTransaction, _ other: StoredTransaction) -> Bool {
        let secrets = Set([secret].compactMap(\.self))
        return one == other || one.withholding(secrets) == other.withholding(secrets)
    }

    /// Somebody comes back with the token of any place, to any process.
    private mutating func comeBack() throws {
        guard !processes.isEmpty, !list.isEmpty else { return }
        let index = below(processes.count)
        guard (try? settle(index)) == list.last?.token else { return }
        let start = below(list.count + 1)
        guard let place = start == 0 ? beginning : list[start - 1].token else { return }
        guard let records = try records(after: place, of: index) else {
            guard !isKept || mayBeForgotten(place, index) else {
                throw Violation(description: "Nobody knows what came after \(text(place)).")
            }
            losses += 1
            return
        }
        resumptions += 1
        let told = records.flatMap(\.entries)
        let rest = list[start...]
        for ((token, transaction), entry) in zip(told, rest) where !areSame(transaction, entry.transaction) {
            // Without a history, an edit that nobody saw being made may not be known any more.
            if !isKept, transaction.mutations == nil { continue }
            throw Violation(
                description: "At \(text(token)) \(processes[index].name) tells \(transaction) instead of "
                    + "\(entry.transaction).")
        }
        guard told.map(\.token) == rest.map(\.token) else {
            throw Violation(description: "\(processes[index].name) tells \(told.map { text($0.token) }).")
        }
        // Of a journal that was put back and not synced, a loss of power may have left anything.
        guard isKept, processes[index].storage.keepsHistory || !copiesFiles else { return }
        try lookBack(index)
    }

    /// All that is kept is told, as far as the follower knows it.
    private mutating func lookBack(_ index: Int) throws {
        let bound = bound
        for place in [nil, list[below(list.count)].token] {
            let past = try earlier(than: place, of: index)
            if isDamaged || isRestored {
                try checkRest(past, of: index)
                continue
            }
            let end = list.last?.token.position ?? 0
            let known = list.filter {
                $0.token.position + UInt64(bound) > end && $0.token.position < place?.position ?? .max
            }
            let newest = past.prefix(known.count).reversed()
            guard newest.map(\.token) == known.map(\.token), past.count <= bound,
                zip(newest, known).allSatisfy({ areSame($0.transaction, $1.transaction) })
            else {
                throw Violation(
                    description: "Looking back from \(text(place)) finds \(past.map { text($0.token) }) instead of "
                        + "\(known.map { text($0.token) }).")
            }
        }
    }

    /// What a damaged past still has is in its order and as it was.
    private func checkRest(_ past: [Entry], of index: Int) throws {
        let told = Dictionary(list.map { ($0.token, $0.transaction) }) { $1 }
        let isInOrder = zip(past, past.dropFirst()).allSatisfy { $0.token.position > $1.token.position }
        let isAsTold = past.allSatisfy { entry in told[entry.token].map { areSame($0, entry.transaction) } ?? true }
        guard isInOrder, isAsTold else {
            throw Violation(
                description: "\(processes[index].name) finds \(past.map { text($0.token) }) in what is left.")
        }
    }

    /// Everything before a place, newest first, in pages of any size.
    private mutating func earlier(than token: ChangeToken?, of index: Int) throws -> [Entry] {
        let limit = 1 + below(4)
        var result: [Entry] = []
        while true {
            let page = try processes[index].storage.records(before: result.last?.token ?? token, limit: limit)
            guard !page.isEmpty, page.count <= limit else { return result }
            result += page.flatMap { $0.entries.reversed().map { Entry(token: $0.token, transaction: $0.transaction) } }
        }
    }

    /// Whether more transactions have come after a place than are kept.
    private func mayBeForgotten(_ place: ChangeToken, _ index: Int) -> Bool {
        if isDamaged || isRestored { return true }
        guard let end = processes[index].storage.token, end.history == place.history else { return false }
        return end.position > place.position + UInt64(bound)
    }

    /// Everything after a place, in pages of any size.
    private mutating func records(after token: ChangeToken, of index: Int) throws -> [StoredRecord]? {
        let limit = 1 + below(4)
        var result: [StoredRecord] = []
        while true {
            let place = result.last?.token ?? token
            guard let page = try processes[index].storage.records(after: place, limit: limit) else { return nil }
            guard !page.isEmpty else { return result }
            result += page
        }
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

    private func text(_ token: ChangeToken?) -> String { token.map { "\($0.position)" } ?? "no place" }
}

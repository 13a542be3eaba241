import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Puts files of a backup in the place of newer ones: each subset of them, in each order.
@Suite(.timeLimit(.minutes(5))) struct RestoredFilesTests {
    @Test(
        "Whichever files of a backup come back, in whichever order, no token leads over a gap",
        arguments: RestoreMoment.allCases, [1, 2])
    func tokens(moment: RestoreMoment, processes: Int) throws {
        for files in RestoredFile.orders {
            for setup in RestoreSetup.all {
                var run = try RestoreRun(setup)
                do {
                    try run.run(files, moment, processes: processes)
                } catch {
                    Issue.record("\(error)\n\(files), \(moment), \(processes) processes, \(setup)")
                }
            }
        }
    }
}

/// How the files are restored, and what the journal is like.
private struct RestoreSetup {
    /// Whether they are written over the newer ones, rather than renamed into their place.
    var isInPlace: Bool
    var keepsHistory: Bool
    /// A short one is renewed with each checkpoint.
    var journalLimit: Int

    /// Each two choices in each way.
    static let all = [false, true].flatMap { isInPlace in
        [false, true].map { keepsHistory in
            RestoreSetup(
                isInPlace: isInPlace, keepsHistory: keepsHistory,
                journalLimit: isInPlace == keepsHistory ? 1 : FileStorage.journalLimit)
        }
    }
}

/// What the process does while files are restored.
enum RestoreMoment: CaseIterable {
    /// It has ended.
    case closed
    /// It looks once all files are there.
    case open
    /// It looks after each file.
    case watching
    /// It writes after each file.
    case writing
}

private enum RestoredFile: String, CaseIterable {
    case file, journal, previous

    var path: FilePath {
        let names = FileNames(FilePath(SharedFileHistory.path))
        return switch self {
        case .file: names.file
        case .journal: names.journal
        case .previous: names.previous
        }
    }

    /// Each subset, in each order.
    static let orders: [[RestoredFile]] = {
        var orders: [[RestoredFile]] = [[]]
        for _ in allCases {
            orders += orders.flatMap { order in allCases.filter { !order.contains($0) }.map { order + [$0] } }
        }
        let names = Set(orders.filter { !$0.isEmpty }.map { $0.map(\.rawValue) })
        return names.sorted { $0.lexicographicallyPrecedes($1) }.map { $0.compactMap(Self.init) }
    }()
}

/// Processes that know which values each token stands for that one of them was given.
private struct RestoreRun {
    private struct Gap: Error, CustomStringConvertible {
        let description: String
    }

    private struct Process {
        let storage: FileStorage
        var known: SettingTree
    }

    private let disk = SimulatedDisk()
    private let setup: RestoreSetup
    private var processes: [Process] = []
    private var trees: [ChangeToken: SettingTree] = [:]
    private var number: Int64 = 0

    init(_ setup: RestoreSetup) throws {
        self.setup = setup
        try FileOperations(disk).makeFolder(FilePath("/home"))
    }

    mutating func run(_ files: [RestoredFile], _ moment: RestoreMoment, processes count: Int) throws {
        try open(count)
        try write(["a", "b"])
        try checkpoint()
        try write(["a", "c"])
        try checkpoint()
        try write(["b"])
        let backup = files.map { ($0, contents($0)) }
        try write(["a", "b", "d"])
        try checkpoint()
        try write(["a", "e"])
        if moment == .closed { close() }
        for (file, bytes) in backup {
            if let bytes { try SettingsPerson(path: file.path).put(bytes, on: disk, isInPlace: setup.isInPlace) }
            switch moment {
            case .closed, .open: break
            case .watching: try fetch()
            case .writing: try write(["w"])
            }
        }
        if moment == .closed {
            // What a load has found in the file is in the history once something has been written.
            try open(count)
            try write(["z"])
        }
        try fetch()
        try check()
        try write(["z"])
        try check()
        // Now there are as many transactions as in the history that was there before.
        try write(["y", "z", "y", "z", "y", "z", "y", "z"])
        try checkpoint()
        try check()
        close()
        try open(count)
        try write(["z"])
        try check()
    }

    // MARK: Steps

    private mutating func open(_ count: Int) throws {
        for _ in 0..<count {
            let storage = FileStorage(at: SharedFileHistory.url, calls: disk, journalLimit: setup.journalLimit)
            processes.append(Process(storage: storage, known: try storage.load().tree))
        }
        if setup.keepsHistory, number == 0 { try processes[0].storage.keepHistory(.keep()) }
    }

    private mutating func close() {
        for process in processes { process.storage.close() }
        processes = []
    }

    /// Writes a value at each key, all processes in turn.
    private mutating func write(_ keys: [SettingKey]) throws {
        for key in keys {
            number += 1
            let index = Int(number) % processes.count
            let (storage, old) = (processes[index].storage, processes[index].known[key])
            var batch = batch(UInt64(number), [key: .integer(number)])
            batch.expectedValues[key] = old
            if storage.keepsHistory {
                batch.transactions = [
                    StoredTransaction(
                        time: Double(number), author: TransactionAuthor(name: "test"), origin: .local,
                        mutations: [StoredMutation(key: key, oldValue: old, newValue: .integer(number))])
                ]
            }
            try storage.append(batch, durability: .synced)
            processes[index].known.apply(batch.values)
            try fetch()
        }
    }

    /// Reads what others have done, until nobody has done anything more, and remembers which values each token stands
    /// for.
    private mutating func fetch() throws {
        for _ in 0..<3 {
            for index in processes.indices {
                let changes = try processes[index].storage.externalChanges()
                for change in changes { change.apply(to: &processes[index].known) }
            }
        }
        for process in processes {
            guard let token = process.storage.token else { continue }
            guard trees[token] ?? process.known == process.known else {
                throw Gap(description: "\(token) stands for \(String(describing: trees[token])) and \(process.known).")
            }
            trees[token] = process.known
        }
    }

    private mutating func checkpoint() throws {
        _ = try processes[0].storage.checkpoint(processes[0].known, for: .resting)
        try fetch()
    }

    private func contents(_ file: RestoredFile) -> [UInt8]? {
        SettingsPerson(path: file.path).contents(of: disk)
    }

    // MARK: Checks

    /// What is reported after a token leads from its values to those of now.
    private func check() throws {
        for process in processes {
            for (token, tree) in trees {
                let found = try values(after: token, tree, in: process.storage)
                guard let found, found != process.known else { continue }
                throw Gap(description: "After \(token) \(found) is reported instead of \(process.known).")
            }
        }
    }

    /// - Returns: `nil` if it is said that they are not known.
    private func values(
        after token: ChangeToken, _ tree: SettingTree, in storage: FileStorage
    ) throws -> SettingTree? {
        var (token, tree) = (token, tree)
        while let page = try storage.records(after: token, limit: 100) {
            guard let last = page.last else { return tree }
            token = last.token
            for transaction in page.flatMap(\.transactions) {
                guard let mutations = transaction.mutations else { return nil }
                for mutation in mutations { tree[mutation.key] = mutation.newValue }
            }
        }
        return nil
    }
}

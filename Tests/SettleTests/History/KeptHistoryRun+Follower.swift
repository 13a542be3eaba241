import Foundation
import SettleTestSupport
import SettleTesting

@testable import Settle

/// The follower, and others who come back with earlier tokens.
extension KeptHistoryRun {
    mutating func begin(at token: ChangeToken?) {
        // The batches of a copy were there before.
        if isRestored { found = [] }
        isRestored = false
        list = []
        awaited = []
        beginning = token
        base = processes.first.flatMap { try? settledTree(of: $0) } ?? base
        losses += 1
    }

    /// Takes the lock, so that all that is left is done, and returns the newest token.
    func settle(_ index: Int) throws -> ChangeToken? {
        _ = try settledTree(of: processes[index])
        return processes[index].storage.token
    }

    func settledTree(of process: Process) throws -> SettingTree {
        try process.storage.lock()
        process.storage.unlock()
        _ = try process.storage.externalChanges()
        return try FileStorage(
            at: Self.url, calls: FaultySystemCalls(disk), lockTimeout: LockTimeout(limit: .zero)
        ).load().tree
    }

    mutating func follow() throws {
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
            note("The follower gets a loss after \(text(place))")
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
        guard found.insert(name).inserted else { throw Violation(description: "\(name) is delivered twice.") }
        awaited.remove(name)
    }

    private func checkSecret(_ entry: Entry) throws {
        guard let secret, isSecretKnown else { return }
        for mutation in entry.transaction.mutations ?? [] where mutation.key == secret && !mutation.isWithheld {
            throw Violation(description: "\(text(entry.token)) has a value of the secret.")
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

    /// Empty dictionaries don't count, nor does a secret, whose values are withheld.
    func leaves(_ tree: SettingTree) -> [SettingKey: SettingValue?] {
        SettingTreeText.leaves(of: tree).filter { $0.value != .dictionary([:]) && $0.key != secret }
    }

    /// Whether two processes tell the same, but for a secret that one of them did not know of.
    private func areSame(_ one: StoredTransaction, _ other: StoredTransaction) -> Bool {
        let secrets = Set([secret].compactMap(\.self))
        return one == other || one.withholding(secrets) == other.withholding(secrets)
    }

    /// Somebody comes back with the token of any place, to any process.
    mutating func comeBack() throws {
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
                description: "At \(text(token)) \(processes[index].name) returns \(transaction) instead of "
                    + "\(entry.transaction).")
        }
        guard told.map(\.token) == rest.map(\.token) else {
            throw Violation(description: "\(processes[index].name) returns \(told.map { text($0.token) }).")
        }
        // Of a journal that was put back and not synced, a loss of power may have left anything.
        guard isKept, processes[index].storage.keepsHistory || !copiesFiles else { return }
        try lookBack(index)
    }

    /// All records that are left are returned, as far as the follower knows them.
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

    /// The records that a damaged history still has are unchanged and in order.
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
    func mayBeForgotten(_ place: ChangeToken, _ index: Int) -> Bool {
        if isDamaged || isRestored { return true }
        guard let end = processes[index].storage.token, end.history == place.history else { return false }
        return end.position > place.position + UInt64(bound)
    }

    /// Everything after a place, in pages of any size.
    mutating func records(after token: ChangeToken, of index: Int) throws -> [StoredRecord]? {
        let limit = 1 + below(4)
        var result: [StoredRecord] = []
        while true {
            let place = result.last?.token ?? token
            guard let page = try processes[index].storage.records(after: place, limit: limit) else { return nil }
            guard !page.isEmpty else { return result }
            result += page
        }
    }
}

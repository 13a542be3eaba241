import Foundation
import SettleTesting

@testable import Settle

/// What processes do with the file.
extension InterleavedFile {
    func process(_ actor: Int) throws -> Process {
        guard let process = processes[actor].withLock({ $0 }) else { throw Violation(description: "It is not open.") }
        return process
    }

    func open(by actor: Int, isReadOnly: Bool) throws {
        let calls: any SystemCalls = isReadOnly ? ReadOnlySystemCalls(calls[actor]) : calls[actor]
        let storage = FileStorage(at: url, calls: calls, journalLimit: journalLimit)
        let contents = try storage.load()
        storage.keepApart(state: state, from: [])
        try checkOutcome(contents.outcome, "A load")
        processes[actor].withLock { $0 = Process(storage: storage, known: contents.tree, isReadOnly: isReadOnly) }
        log.withLock { _ = isReadOnly ? (false, actor) : $0.opened.insert(actor) }
    }

    func append(_ values: [String: Int64?], _ durability: StorageDurability, by actor: Int, _ start: Int) throws {
        let process = try process(actor)
        let batch = Dictionary(
            uniqueKeysWithValues: values.map { (SettingKey.path($0), $1.map { SettingValue.integer($0) }) })
        let tickets = log.withLock { log in
            let tickets = values.map { log.writes.begin($0.value, at: $0.key, start, by: actor) }
            log.tickets[actor] = tickets
            return tickets
        }
        let expected = batch.keys.reduce(into: [SettingKey: SettingValue]()) { $0[$1] = process.known[$1] }
        processes[actor].withLock { process in
            process?.known.apply(batch)
            process?.hasWritten = true
        }
        let stored = StorageBatch(revision: 1, values: batch, expectedValues: expected)
        do {
            try process.storage.append(stored, durability: durability)
        } catch {
            guard letsCallsFail else { throw error }
            try process.storage.append(stored, durability: durability)
        }
        let end = time
        let isStable = durability == .synced
        log.withLock { log in
            for (ticket, value) in zip(tickets, values.values) {
                // What somebody has removed who had found no files may come back from one who had them open.
                let isCertain = value != nil || !log.isDisturbed
                log.writes.end(ticket, end, isCertain: isCertain, isStable: isStable)
                if !isCertain { log.writes.doubt(ticket) }
            }
            log.tickets[actor] = []
            if isStable { log.writes.didSynchronize(from: start) }
        }
    }

    func count(by actor: Int, _ start: Int) throws {
        let storage = try process(actor).storage
        log.withLock { $0.possibleCounts += 1 }
        guard let lease = try storage.lockForTransaction() else { throw Violation(description: "There is no lock.") }
        defer { storage.unlock(lease) }
        let locked = time
        try look(actor, locked)
        guard case .integer(let number) = try process(actor).known[.path("n")] ?? .integer(0) else { return }
        try append(["n": number + 1], .synced, by: actor, start)
        log.withLock { log in
            log.counts += 1
            log.possibleCounts -= 1
        }
    }

    func look(_ actor: Int, _ start: Int) throws {
        let process = try process(actor)
        // One that others get in the way of may leave the rest to the next one.
        let (isAlone, begun) = log.withLock { ($0.running.isSubset(of: [actor]), $0.begun) }
        let changes = try process.storage.externalChanges()
        processes[actor].withLock { process in
            for change in changes { if process != nil { change.apply(to: &process!.known) } }
        }
        guard process.hasWritten, isAlone else { return }
        let end = time
        log.withLock { log in
            if log.begun == begun { log.writes.didLook(from: start, to: end) }
        }
    }
}

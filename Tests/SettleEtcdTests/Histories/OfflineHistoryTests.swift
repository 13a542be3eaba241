import Settle
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// Machines that write without the cluster, end at any moment and come back: each transaction is stored once and whole,
/// or given up whole and kept for a person, and nothing else is ever in the cluster.
@Suite(.timeLimit(.minutes(10))) struct OfflineHistoryTests {
    /// A machine: its local copy stays, its processes come and go. What a process has not stored, it appends again, as
    /// a store does.
    private struct Machine {
        let copy: InMemoryStorage
        var storage: EtcdStorage
        var transport: FakeTransport
        var position = StoragePosition(0)
        var waiting: [SettingKey: SettingValue?] = [:]
        var groups: [[SettingKey]] = []
        /// What was stored at the waiting keys when they were written.
        var replaced: [SettingKey: SettingValue] = [:]
        var tree = SettingTree()
        var lost: StorageBatch?
        var revision: UInt64 = 0
    }

    private static let keys: [SettingKey] = ["a", "b", "c", "d", "e"]
    private let fixture = EtcdFixture()

    private func start(_ copy: InMemoryStorage) -> (EtcdStorage, FakeTransport) {
        fixture.client(localCopy: InMemoryStorage(sharing: copy))
    }

    @Test("Transactions are whole once or lost", arguments: histories(usually: 20))
    func randomOutages(_ round: UInt64) async throws {
        var random = SeededGenerator(seed: 815 + round)
        var machines: [Machine] = []
        for _ in 0..<3 {
            let copy = InMemoryStorage()
            let (storage, transport) = start(copy)
            var machine = Machine(copy: copy, storage: storage, transport: transport)
            let contents = try await storage.load()
            (machine.tree, machine.position) = (contents.tree, contents.position)
            machines.append(machine)
        }
        var written: [Int64: [SettingKey]] = [:]
        var number: Int64 = 0
        for _ in 0..<60 {
            let index = Int.random(in: 0..<machines.count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                number += 1
                let keys = Array(Self.keys.shuffled(using: &random).prefix(2))
                written[number] = keys
                write(number, keys, &machines[index])
                try await save(&machines[index])
            case 5: try await save(&machines[index])
            case 6:
                let isAway = Bool.random(using: &random)
                machines[index].transport.setAll(isAway ? .refused : nil)
            case 7:
                let faults: [FakeTransport.Fault] = [.answerLost, .requestLost, .noQuorum]
                let fault = faults.randomElement(using: &random) ?? .answerLost
                machines[index].transport.set { $0.path == EtcdPath.transaction ? fault : nil }
            case 8: fixture.cluster.compact()
            default: try await restart(&machines[index], isAway: Bool.random(using: &random))
            }
        }
        var lost: Set<Int64> = []
        for index in machines.indices {
            machines[index].transport.setAll(nil)
            try await save(&machines[index])
            try await restart(&machines[index], isAway: false)
            #expect(await machines[index].storage.pendingTransactionCount() == 0, "seed \(random.seed)")
            for transaction in await machines[index].storage.lostTransactions() {
                for case .integer(let number)? in transaction.values.values { lost.insert(number) }
            }
            await machines[index].storage.close()
        }
        try check(written, lost: lost, random.seed)
    }

    private func write(_ number: Int64, _ keys: [SettingKey], _ machine: inout Machine) {
        for key in keys {
            if machine.waiting[key] == nil { machine.replaced[key] = machine.tree[key] }
            machine.waiting.updateValue(.integer(number), forKey: key)
        }
        machine.groups.append(keys)
    }

    /// As a store: what can't be saved waits; what others have replaced meanwhile is given up, with what was written
    /// with it.
    private func save(_ machine: inout Machine) async throws {
        var again = 0
        while !machine.waiting.isEmpty, again < 3 {
            again += 1
            let isRepeated = machine.lost != nil
            do throws(StorageError) {
                if let lost = machine.lost {
                    _ = try await machine.storage.append(lost, durability: .synced)
                    machine.lost = nil
                    machine.tree.apply(lost.values)
                    for (key, value) in lost.values where machine.waiting[key] == .some(value) {
                        machine.waiting.removeValue(forKey: key)
                    }
                    continue
                }
                try await fetch(&machine)
                guard !machine.waiting.isEmpty else { return }
                machine.revision += 1
                var batch = StorageBatch(
                    revision: machine.revision, values: machine.waiting, expectedValues: machine.replaced,
                    conditions: [.at(machine.position)])
                batch.writtenTogether = machine.groups
                machine.lost = batch
                let receipt = try await machine.storage.append(batch, durability: .synced)
                machine.lost = nil
                machine.tree.apply(batch.values)
                (machine.waiting, machine.groups, machine.replaced) = ([:], [], [:])
                if !receipt.hasExternalChanges { machine.position = receipt.position }
            } catch {
                // A repetition that does not arrive says nothing of the first time.
                if error.code == .conflict || (!error.isOutcomeUnknown && !isRepeated) { machine.lost = nil }
                if error.code != .conflict { return }
            }
        }
    }

    private func fetch(_ machine: inout Machine) async throws(StorageError) {
        let found = try await machine.storage.changes(after: machine.position)
        machine.position = found.position
        let before = machine.tree
        for change in found.changes { change.apply(to: &machine.tree) }
        var gone = Set(machine.waiting.keys.filter { before[$0] != machine.tree[$0] })
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for group in machine.groups where !gone.isDisjoint(with: group) && !gone.isSuperset(of: group) {
                gone.formUnion(group)
                isGrowing = true
            }
        }
        for key in gone {
            machine.waiting.removeValue(forKey: key)
            machine.replaced[key] = nil
        }
        machine.groups = machine.groups.filter { gone.isDisjoint(with: $0) }
    }

    /// The process ends without notice, and another one begins.
    private func restart(_ machine: inout Machine, isAway: Bool) async throws {
        machine.transport.setAll(.refused)
        (machine.storage, machine.transport) = start(machine.copy)
        if isAway { machine.transport.setAll(.refused) }
        (machine.waiting, machine.groups, machine.replaced, machine.lost) = ([:], [], [:], nil)
        do throws(StorageError) {
            let contents = try await machine.storage.load()
            (machine.tree, machine.position) = (contents.tree, contents.position)
        } catch {
            // Nothing is known on this machine yet.
            machine.transport.setAll(nil)
            let contents = try await machine.storage.load()
            (machine.tree, machine.position) = (contents.tree, contents.position)
        }
    }

    /// Every value of the cluster is of a transaction, each comes once, and none without the rest of its transaction,
    /// unless the same machine has overwritten it before it could be stored.
    ///
    /// What is said to be lost is not there: a person who writes it again would write it twice.
    private func check(_ written: [Int64: [SettingKey]], lost: Set<Int64>, _ seed: UInt64) throws {
        var homes: [Int64: Set<Int64>] = [:]
        let events = fixture.cluster.state.withLock { $0.allEvents }
        for (revision, changes) in events {
            var values: [SettingKey: Int64] = [:]
            for change in changes {
                let text = String(decoding: change.key.dropFirst(fixture.prefix.utf8.count), as: UTF8.self)
                guard let key = SettingKey(text), Self.keys.contains(key), let value = change.value else { continue }
                values[key] = Int64(String(decoding: value.bytes, as: UTF8.self))
            }
            for (key, number) in values {
                homes[number, default: []].insert(revision)
                let keys = try #require(written[number])
                #expect(keys.contains(key))
                for other in keys where other != key {
                    // Another number there is of a later write of the machine.
                    let found = values[other]
                    #expect(found != nil && (found ?? 0) >= number, "seed \(seed): \(number) without \(other)")
                }
            }
        }
        #expect(lost.isDisjoint(with: homes.keys), "seed \(seed): \(lost.intersection(homes.keys)) are not lost")
        for (number, revisions) in homes { #expect(revisions.count == 1, "seed \(seed): \(number) at \(revisions)") }
    }
}

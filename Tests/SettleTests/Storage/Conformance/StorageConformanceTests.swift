import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct StorageConformanceTests {
    @Test("The in-memory storage keeps all promises") func inMemory() async throws {
        let memories = Memories()
        try await StorageConformance.check(
            makeStorage: { FailingStorage(memories.make($0)) },
            reopen: { number, _ in FailingStorage(memories.another(number)) },
            setFault: { storage, fault in (storage as? FailingStorage)?.set(fault) ?? false },
            makeOther: { number, _ in memories.another(number) })
    }

    @Test(
        "The file storage keeps all promises in every format",
        arguments: [FileFormat.json, .propertyListXML, .propertyListBinary])
    func file(format: FileFormat) async throws {
        let values = StorageConformance.everyKindOfValue.filter { value in
            switch value {
            case .date, .data: format != .json
            default: true
            }
        }
        try await withTemporaryFolder { folder in
            let open = { (number: Int) in
                FailingFileStorage(at: folder.appending(path: "\(number)/settings"), format: format)
            }
            try await StorageConformance.check(
                makeStorage: { open($0) }, reopen: { number, _ in open(number) },
                setFault: { storage, fault in (storage as? FailingFileStorage)?.set(fault) ?? false },
                makeOther: { number, _ in open(number) }, values: values)
        }
    }

    @Test("The recording storage keeps the promises of the one that it wraps") func recording() async throws {
        try await withTemporaryFolder { folder in
            let open = { (number: Int) in
                FailingStorage(RecordingStorage(FileStorage(at: folder.appending(path: "\(number).json"))))
            }
            try await StorageConformance.check(
                makeStorage: { open($0) }, reopen: { number, _ in open(number) },
                setFault: { storage, fault in (storage as? FailingStorage)?.set(fault) ?? false },
                values: [.integer(1)])
        }
    }

    @Test("A storage without a lock, which gives and honours positions, keeps all promises, also within a wrapper")
    func lockless() async throws {
        let memories = Memories()
        let open = { (memory: InMemoryStorage) in FailingStorage(LocklessStorage(memory)) }
        let report = try await StorageConformance.check(
            makeStorage: { open(memories.make($0)) }, reopen: { number, _ in open(memories.another(number)) },
            setFault: { storage, fault in (storage as? FailingStorage)?.set(fault) ?? false },
            makeOther: { number, _ in open(memories.another(number)) }, values: [.integer(1)])
        #expect(!report.leftOut.contains { $0.contains("whose answer was lost") }, "\(report)")
    }

    @Test("A storage without named locks keeps all promises but theirs") func nameless() async throws {
        let memories = Memories()
        let report = try await StorageConformance.check(
            makeStorage: { NamelessStorage(memories.make($0)) },
            reopen: { number, _ in NamelessStorage(memories.another(number)) },
            makeOther: { number, _ in NamelessStorage(memories.another(number)) }, values: [.integer(1)])
        #expect(report.leftOut.filter { $0.hasSuffix("it has no named locks") }.count == 9, "\(report)")
    }

    @Test("A storage that keeps the last id of each store keeps all promises")
    func numbered() async throws {
        let memories = Memories()
        try await StorageConformance.check(
            makeStorage: { NumberingStorage(memories.make($0), memories.numbers($0)) },
            reopen: { number, _ in NumberingStorage(memories.another(number), memories.numbers(number)) },
            makeOther: { number, _ in NumberingStorage(memories.another(number), memories.numbers(number)) },
            values: [.integer(1)])
    }

    @Test("The report says how many checks were made, and why others were not") func report() async throws {
        let memories = Memories()
        let all = try await StorageConformance.check(
            makeStorage: { memories.make($0) }, reopen: { number, _ in memories.another(number) },
            setFault: { _, _ in false }, makeOther: { number, _ in memories.another(number) })
        #expect(all.checks > 60)
        #expect(
            all.leftOut == [
                "After a failed append, the storage has the old values: the fault `appends` can't be produced",
                "A failed batch can be appended again: the fault `appends` can't be produced",
                "A failed batch can be appended merged with a later one: the fault `appends` can't be produced",
                "After a failed load, nothing is written until one succeeds: the fault `loads` can't be produced",
                "A batch whose answer was lost is stored once when it is appended again: the fault `answers` can't be "
                    + "produced",
                "Without a lock for transactions, a batch whose answer was lost is reported if it was stored: it has a "
                    + "lock for transactions",
                "An append that is cancelled ends, and says whether it is stored: its limits have no time",
                "A last good value is found after another load, until its key is written: it is no "
                    + "`CheckpointingStorage`",
                "Values preserved while they can't be appended survive the end of the process: it preserves nothing",
                "Preserved values replace those preserved before, until they are appended: it preserves nothing",
                "A batch with as many bytes as the limits allow is stored whole: its limits have no bytes, or too many "
                    + "to try out",
                "After external changes could not be determined, none of them is lost: the fault `changes` can't be "
                    + "produced",
                "Nothing is stored under a lease that has ended: the fault `leases` can't be produced",
                "A lease that can end has a time, and frees its name after it: its leases last until they are released",
            ])
        #expect(all.description.hasPrefix("\(all.checks) checks have passed, and 14 were left out:\n- After a failed"))
        let one = try await StorageConformance.check(
            makeStorage: { RecordingStorage(memories.make($0)) },
            reopen: { number, _ in RecordingStorage(memories.another(number)) }, values: [.integer(1)])
        #expect(one.checks + one.leftOut.count == all.checks + all.leftOut.count + 1)
        for reason in ["there is no `setFault`", "there is no `makeOther`", "`values` leaves it out"] {
            #expect(one.leftOut.contains { $0.hasSuffix(reason) }, "\(one)")
        }
    }

    @Test("A storage whose named leases have a time keeps all promises", arguments: [true, false])
    func leases(hasLock: Bool) async throws {
        let memories = Memories()
        let report = try await check(nil, hasLock: hasLock, in: memories)
        let others = ["`CheckpointingStorage`", "it preserves nothing", "too many to try out"]
        let leftOut = report.leftOut.filter { reason in
            !reason.hasPrefix("The value ") && !others.contains { reason.hasSuffix($0) }
        }
        #expect(leftOut.count == (hasLock ? 1 : 4), "\(report)")
        let reason = hasLock ? "it has a lock for transactions" : "it has no lock for transactions"
        #expect(leftOut.allSatisfy { $0.hasSuffix(reason) })
    }

    @Test("A storage that breaks one promise is found out", arguments: FlawedSharedStorage.Flaw.allCases)
    func mutants(flaw: FlawedSharedStorage.Flaw) async {
        let memories = Memories()
        let failure = await #expect(throws: StorageConformanceFailure.self) {
            let patience = flaw.isWaitedFor ? Duration.milliseconds(50) : .seconds(60)
            try await check(flaw, hasLock: flaw.needsLock, in: memories, patience: patience)
        }
        let expected = flaw.brokenPromise
        #expect(failure?.failures.contains { $0.contains(expected) } == true, "\(flaw): \(failure?.description ?? "")")
        // One mistake is not taken for many.
        #expect(failure?.failures.count ?? 0 <= 4, "\(failure?.description ?? "")")
    }

    @Test("A storage that keeps and preserves values, and whose limits have bytes, keeps all promises")
    func keeping() async throws {
        let report = try await checkKeeping(nil)
        let reasons = ["kept", "preserves", "limits have no bytes"]
        #expect(report.leftOut.filter { leftOut in reasons.contains { leftOut.contains($0) } } == [])
    }

    @Test("A storage that breaks a promise about what it keeps is found out", arguments: KeepingStorage.Flaw.allCases)
    func keepingMutants(flaw: KeepingStorage.Flaw) async {
        let failure = await #expect(throws: StorageConformanceFailure.self) { try await checkKeeping(flaw) }
        let expected = flaw.brokenPromise
        #expect(failure?.failures.contains { $0.contains(expected) } == true, "\(flaw): \(failure?.description ?? "")")
        #expect(failure?.failures.count ?? 0 <= 2, "\(failure?.description ?? "")")
    }

    @discardableResult
    private func checkKeeping(
        _ flaw: KeepingStorage.Flaw?
    ) async throws(StorageConformanceFailure) -> StorageConformance.Report {
        let memories = Memories()
        return try await StorageConformance.check(
            makeStorage: { KeepingStorage(memories.make($0), memories.kept($0), flaw) },
            reopen: { number, _ in KeepingStorage(memories.another(number), memories.kept(number), flaw) },
            values: [.integer(1)])
    }

    @Test("A storage that forgets is found out, by the broken promise") func forgetful() async {
        let failure = await #expect(throws: StorageConformanceFailure.self) {
            try await StorageConformance.check(
                makeStorage: { _ in InMemoryStorage() }, reopen: { _, _ in InMemoryStorage() })
        }
        #expect(failure?.description.contains("An appended value is loaded") == true)
    }

    @discardableResult
    private func check(
        _ flaw: FlawedSharedStorage.Flaw?, hasLock: Bool, in memories: Memories, patience: Duration = .seconds(10)
    ) async throws(StorageConformanceFailure) -> StorageConformance.Report {
        let open = { (number: Int, memory: InMemoryStorage) in
            FlawedSharedStorage(memory, memories.leases(number), flaw, hasLock: hasLock)
        }
        return try await StorageConformance.check(
            makeStorage: { open($0, memories.make($0)) },
            reopen: { number, _ in open(number, memories.another(number)) },
            setFault: { storage, fault in (storage as? FlawedSharedStorage)?.set(fault) ?? false },
            makeOther: { number, _ in open(number, memories.another(number)) }, values: [.integer(1)],
            patience: patience)
    }
}

/// In-memory storages by number, each with others of the same memory.
private final class Memories: Sendable {
    private let storages = LockedValue<[Int: InMemoryStorage]>([:])
    private let leases = LockedValue<[Int: TimedLeases]>([:])
    private let numbers = LockedValue<[Int: NumberingStorage.Numbers]>([:])
    private let kept = LockedValue<[Int: KeepingStorage.Kept]>([:])

    func make(_ number: Int) -> InMemoryStorage {
        let storage = InMemoryStorage()
        storages.withLock { $0[number] = storage }
        return storage
    }

    func another(_ number: Int) -> InMemoryStorage {
        storages.withLock { storages in storages[number].map { InMemoryStorage(sharing: $0) } } ?? InMemoryStorage()
    }

    func leases(_ number: Int) -> TimedLeases { leases.withLock { Self.find(number, in: &$0, TimedLeases()) } }

    func numbers(_ number: Int) -> NumberingStorage.Numbers {
        numbers.withLock { Self.find(number, in: &$0, NumberingStorage.Numbers([:])) }
    }

    func kept(_ number: Int) -> KeepingStorage.Kept {
        kept.withLock { Self.find(number, in: &$0, KeepingStorage.Kept(.init())) }
    }

    private static func find<Value>(
        _ number: Int, in all: inout [Int: Value], _ new: @autoclosure () -> Value
    ) -> Value {
        let value = all[number] ?? new()
        all[number] = value
        return value
    }
}

extension FailingStorage {
    /// - Returns: False if the fault can't be produced.
    fileprivate func set(_ fault: StorageConformance.Fault?) -> Bool {
        let noSpace = StorageError(.noSpace, "There is no room.")
        switch fault {
        case nil: heal()
        case .appends: fail(.append, with: noSpace)
        case .loads: fail(.load, with: StorageError(.unreadable, "It can't be read."))
        case .changes: fail(.changes, with: StorageError(.unreadable, "It can't be read."))
        case .answers:
            let lost = StorageError(.writeFailed, "The answer was lost.", isOutcomeUnknown: true)
            fail(.append, with: lost, moment: .after)
        case .leases, .silence: return false
        }
        return true
    }
}

/// A file storage whose device is full when a test says so.
private final class FailingFileStorage: StorageWrapper {
    private let calls = FaultySystemCalls()
    let base: any Storage

    init(at url: URL, format: FileFormat) {
        // A call that has to wait for a lock here would wait for itself.
        base = FileStorage(
            at: url, format: format, calls: calls, watching: SystemFileWatching.shared,
            lockTimeout: LockTimeout(limit: .zero))
    }

    func set(_ fault: StorageConformance.Fault?) -> Bool {
        switch fault {
        case nil: calls.heal()
        case .appends: calls.fail(call: 0, with: .error(.noSpace), forGood: true)
        default: return false
        }
        return true
    }
}

/// A storage of which several may be open, with conditions instead of a lock.
final class LocklessStorage: StorageWrapper {
    let base: any Storage

    init(_ base: any Storage) { self.base = base }

    func lockForTransaction() async throws(StorageError) -> StorageLease? { nil }
}

private final class NamelessStorage: StorageWrapper {
    let base: any Storage

    init(_ base: any Storage) { self.base = base }

    func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        throw StorageError(.unsupported, "There are no named locks.")
    }
}

/// A storage that tells a repeated batch by what it keeps with the values: the number of the last batch of each store.
private final class NumberingStorage: StorageWrapper {
    /// By the number of the store.
    typealias Numbers = LockedValue<[UInt64: UInt64]>

    let base: any Storage
    private let numbers: Numbers

    init(_ base: InMemoryStorage, _ numbers: Numbers) { (self.base, self.numbers) = (base, numbers) }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        let (id, isEmpty) = (batch.id, batch.values.isEmpty)
        var batch = batch
        // The base has to recognise nothing.
        batch.id = StorageBatch.ID()
        if numbers.withLock({ $0[id.store] == id.number }) { (batch.values, batch.conditions) = ([:], []) }
        let receipt = try await base.append(batch, durability: durability)
        if !isEmpty { numbers.withLock { $0[id.store] = id.number } }
        return receipt
    }
}

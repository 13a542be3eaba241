import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite struct StorageConformanceTests {
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

    @Test("A storage without a lock, which gives and honours positions instead, keeps all promises")
    func lockless() async throws {
        let memories = Memories()
        try await StorageConformance.check(
            makeStorage: { LocklessStorage(memories.make($0)) },
            reopen: { number, _ in LocklessStorage(memories.another(number)) },
            makeOther: { number, _ in LocklessStorage(memories.another(number)) }, values: [.integer(1)])
    }

    @Test("A storage that breaks one promise is found out", arguments: FlawedSharedStorage.Flaw.allCases)
    func mutants(flaw: FlawedSharedStorage.Flaw) async {
        let memories = Memories()
        let failure = await #expect(throws: StorageConformanceFailure.self) {
            try await StorageConformance.check(
                makeStorage: { FlawedSharedStorage(memories.make($0), flaw) },
                reopen: { number, _ in FlawedSharedStorage(memories.another(number), flaw) },
                setFault: { storage, fault in (storage as? FlawedSharedStorage)?.set(fault) ?? false },
                makeOther: { number, _ in FlawedSharedStorage(memories.another(number), flaw) },
                values: [.integer(1)], patience: .milliseconds(50))
        }
        let expected = flaw.brokenPromise
        #expect(failure?.failures.contains { $0.contains(expected) } == true, "\(flaw): \(failure?.description ?? "")")
        // One mistake is not taken for many.
        #expect(failure?.failures.count ?? 0 <= 4, "\(failure?.description ?? "")")
    }

    @Test("A storage that forgets is found out, by the broken promise") func forgetful() async {
        let failure = await #expect(throws: StorageConformanceFailure.self) {
            try await StorageConformance.check(
                makeStorage: { _ in InMemoryStorage() }, reopen: { _, _ in InMemoryStorage() })
        }
        #expect(failure?.description.contains("What was appended is loaded") == true)
    }
}

/// In-memory storages by number, each with others of the same memory.
private final class Memories: Sendable {
    private let storages = LockedValue<[Int: InMemoryStorage]>([:])

    func make(_ number: Int) -> InMemoryStorage {
        let storage = InMemoryStorage()
        storages.withLock { $0[number] = storage }
        return storage
    }

    func another(_ number: Int) -> InMemoryStorage {
        storages.withLock { storages in storages[number].map { InMemoryStorage(sharing: $0) } } ?? InMemoryStorage()
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
        case .leases: return false
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

/// A storage that keeps all promises but one.
final class FlawedSharedStorage: StorageWrapper {
    enum Flaw: CaseIterable, Sendable {
        case lockExcludesNobody
        case namesExcludeNobody
        case watchNeverTells
        case acceptsAppendsBeforeLoad
        case tearsBatches
        case tearsRefusedBatches
        case storesRepeatedBatchesAgain
        case ignoresPositions
        case forgetsChangesAfterFailure
        case ignoresLostLeases
        case writesAfterFailedLoad
        case claimsThatLostBatchesFailed
        case tellsOwnBatches
        case neverTellsOfExternalChanges

        var brokenPromise: String {
            switch self {
            case .lockExcludesNobody: "While a storage has the lock"
            case .namesExcludeNobody: "A named lock has one holder"
            case .watchNeverTells: "The watch tells"
            case .acceptsAppendsBeforeLoad: "before the first load"
            case .tearsBatches: "No load ever sees a part"
            case .tearsRefusedBatches: "of which one value is refused"
            case .storesRepeatedBatchesAgain: "whose answer was lost is stored once"
            case .ignoresPositions: "on the condition of a position"
            case .forgetsChangesAfterFailure: "could not be determined, none of them is lost"
            case .ignoresLostLeases: "Under a lease that has ended"
            case .writesAfterFailedLoad: "After a failed load nothing is written"
            case .claimsThatLostBatchesFailed: "whose answer was lost is stored once"
            case .tellsOwnBatches: "no external change of its own"
            case .neverTellsOfExternalChanges: "A receipt tells"
            }
        }
    }

    private struct State {
        var fault: StorageConformance.Fault?
        var isLoaded = false
        /// The last load failed.
        var isUnreadable = false
        var ownChanges: [ExternalChange] = []
        var lease: StorageLease?
    }

    private let memory: InMemoryStorage
    private let flaw: Flaw
    private let state = LockedValue(State())

    var base: any Storage { memory }

    init(_ memory: InMemoryStorage, _ flaw: Flaw) {
        self.memory = memory
        self.flaw = flaw
    }

    func set(_ fault: StorageConformance.Fault?) -> Bool {
        let lease = state.withLock { state in
            state.fault = fault
            return fault == .leases ? state.lease : nil
        }
        if let lease { memory.unlock(lease) }
        return true
    }

    private func has(_ fault: StorageConformance.Fault) -> Bool { state.withLock { $0.fault == fault } }

    func load() async throws(StorageError) -> StorageContents {
        guard !has(.loads) else {
            state.withLock { $0.isUnreadable = true }
            throw StorageError(.unreadable, "It can't be read.")
        }
        let contents = try await base.load()
        state.withLock { ($0.isLoaded, $0.isUnreadable) = (true, false) }
        return contents
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        let state = state.withLock { $0 }
        if !state.isLoaded, flaw == .acceptsAppendsBeforeLoad { _ = try await base.load() }
        if state.isUnreadable {
            guard flaw == .writesAfterFailedLoad else { throw StorageError(.unreadable, "It has not been read.") }
            _ = try await base.load()
        }
        if has(.appends) { throw StorageError(.noSpace, "There is no room.") }
        if has(.leases), flaw != .ignoresLostLeases, batch.conditions.contains(where: \.isLease) {
            throw StorageError(.leaseLost, "The lease has ended.")
        }
        var batch = batch
        if flaw == .storesRepeatedBatchesAgain { batch.id = StorageBatch.ID() }
        if flaw == .ignoresPositions { batch.conditions = [] }
        var receipt = try await store(batch, durability)
        if flaw == .neverTellsOfExternalChanges { receipt.hasExternalChanges = false }
        if flaw == .tellsOwnBatches {
            self.state.withLock { $0.ownChanges.append(ExternalChange(.values(batch.values))) }
        }
        if has(.answers) {
            throw StorageError(
                .writeFailed, "The answer was lost.", isOutcomeUnknown: flaw != .claimsThatLostBatchesFailed)
        }
        return receipt
    }

    private func store(
        _ batch: StorageBatch, _ durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        for (key, value) in batch.values.sorted(by: { $0.key < $1.key }) {
            if let value {
                do throws(StorageError) {
                    try base.check(value, at: key)
                } catch {
                    guard flaw == .tearsRefusedBatches else { throw error }
                    // Those before it are stored by now.
                    let stored = batch.values.filter { $0.key < key }
                    _ = try await base.append(StorageBatch(revision: 1, values: stored), durability: durability)
                    throw error
                }
            }
        }
        guard flaw == .tearsBatches, batch.values.count > 1 else {
            return try await base.append(batch, durability: durability)
        }
        var last: StorageReceipt?
        for (key, value) in batch.values {
            last = try await base.append(StorageBatch(revision: 1, values: [key: value]), durability: durability)
            for _ in 0..<100 { await Task.yield() }
        }
        return last ?? StorageReceipt(position: StoragePosition(0), durability: durability)
    }

    func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        var found = try await shared?.changes(after: position) ?? StorageChanges([], position: position)
        if has(.changes) {
            // To have asked moves the base's own place, as a careless storage's would be moved.
            if flaw != .forgetsChangesAfterFailure { state.withLock { $0.ownChanges = found.changes } }
            throw StorageError(.unreadable, "It can't be read.")
        }
        found.changes = state.withLock { state in
            defer { state.ownChanges = [] }
            return state.ownChanges + found.changes
        }
        return found
    }

    func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        if flaw != .watchNeverTells { shared?.watch(handle) }
    }

    func lockForTransaction() async throws(StorageError) -> StorageLease? {
        if flaw == .lockExcludesNobody {
            return StorageLease(position: try await base.load().position)
        }
        let lease = try await memory.lockForTransaction()
        state.withLock { $0.lease = lease }
        return lease
    }

    func unlock(_ lease: StorageLease) async {
        await shared?.unlock(lease)
    }

    func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        if flaw == .namesExcludeNobody { return StorageLease(name: name, position: StoragePosition(0)) }
        return try await shared?.tryLock(named: name)
    }
}

extension StorageBatch.Condition {
    fileprivate var isLease: Bool {
        if case .under = self { true } else { false }
    }
}

import Settle

/// A storage with a readable form, which keeps values in force and preserves pending ones beside a memory. It keeps all
/// promises, or all but one.
final class KeepingStorage: CheckpointingStorage {
    enum Flaw: CaseIterable, Sendable {
        case forgetsKeptValues, keepsWrittenValues, keepsReleasedValues
        case forgetsPreservedValues, preservesEarlierValues, preservesAppendedValues
        case storesLessThanItsLimits

        var brokenPromise: String {
            switch self {
            case .forgetsKeptValues, .keepsWrittenValues, .keepsReleasedValues: "A last good value is found"
            case .forgetsPreservedValues: "survive the end of the process"
            case .preservesEarlierValues, .preservesAppendedValues: "Preserved values replace"
            case .storesLessThanItsLimits: "as many bytes as the limits allow"
            }
        }
    }

    /// What all storages of a memory have beside it.
    struct Beside: Sendable {
        var inForce: [SettingKey: SettingValue] = [:]
        var waiting: [SettingKey: SettingValue?] = [:]
    }

    typealias Kept = LockedValue<Beside>

    private let memory: InMemoryStorage
    private let kept: Kept
    private let flaw: Flaw?

    init(_ memory: InMemoryStorage, _ kept: Kept, _ flaw: Flaw?) {
        (self.memory, self.kept, self.flaw) = (memory, kept, flaw)
    }

    private static let byteLimit = 64 << 10

    var limits: StorageLimits { StorageLimits(bytes: Self.byteLimit) }
    var isAtRest: Bool { true }
    var preservesWaiting: Bool { true }

    func load() async throws(StorageError) -> StorageContents {
        let contents = try memory.load()
        if flaw == .forgetsKeptValues { kept.withLock { $0.inForce = [:] } }
        let waiting = kept.withLock { kept in
            defer { kept.waiting = [:] }
            return kept.waiting
        }
        guard !waiting.isEmpty, flaw != .forgetsPreservedValues else { return contents }
        try await memory.append(StorageBatch(revision: 0, values: waiting), durability: .synced)
        return try memory.load()
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        let size = batch.values.values.reduce(0) { $0 + ($1?.roughSize ?? 0) }
        if flaw == .storesLessThanItsLimits, size > Self.byteLimit * 3 / 4 {
            throw StorageError(.writeFailed, "It is too large.")
        }
        let receipt = try await memory.append(batch, durability: durability)
        kept.withLock { kept in
            for key in batch.values.keys {
                if flaw != .keepsWrittenValues { kept.inForce[key] = nil }
                if flaw != .preservesAppendedValues { kept.waiting.removeValue(forKey: key) }
            }
        }
        return receipt
    }

    func preserve(_ waiting: StorageBatch) async {
        kept.withLock { kept in
            if flaw != .preservesEarlierValues { kept.waiting = [:] }
            kept.waiting.merge(waiting.values) { $1 }
        }
    }

    func checkpoint(_ tree: SettingTree, for reason: CheckpointReason) async throws(StorageError) -> Bool {
        try await memory.append(StorageBatch(revision: 0, values: [:]), durability: .synced)
        return true
    }

    func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] {
        kept.withLock { kept in kept.inForce[key].map { [$0] } ?? [] }
    }

    func keep(_ values: [SettingKey: SettingValue?]) async throws(StorageError) {
        kept.withLock { kept in
            for (key, value) in values where value != nil || flaw != .keepsReleasedValues { kept.inForce[key] = value }
        }
    }

    func hasTraces(of key: SettingKey) async throws(StorageError) -> Bool { false }

    func keepPrivate() {}

    func close() async { memory.close() }
}

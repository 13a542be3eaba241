import Foundation
import Settle
import SettleTesting
import Testing

@Suite struct StorageConformanceTests {
    @Test("the in-memory storage keeps all promises") func inMemory() throws {
        try StorageConformance.check(
            makeStorage: { _ in InMemoryStorage() },
            reopen: { _, closed in InMemoryStorage((closed as? InMemoryStorage)?.tree ?? SettingTree()) })
    }

    @Test(
        "the file storage keeps all promises in every format",
        arguments: [FileFormat.json, .propertyListXML, .propertyListBinary])
    func file(format: FileFormat) throws {
        let values = StorageConformance.everyKindOfValue.filter { value in
            switch value {
            case .date, .data: format != .json
            default: true
            }
        }
        try withTemporaryFolder { folder in
            let open = { (number: Int) in
                FailingFileStorage(at: folder.appending(path: "\(number)/settings"), format: format)
            }
            try StorageConformance.check(
                makeStorage: { open($0) }, reopen: { number, _ in open(number) },
                setFailing: { storage, isFailing in (storage as? FailingFileStorage)?.setFailing(isFailing) },
                makeOther: { number, _ in open(number) }, values: values)
        }
    }

    @Test("the recording and the failing storage keep the promises of the one they wrap") func wrappers() throws {
        let noSpace = StorageError(.noSpace, "There is no room.")
        try withTemporaryFolder { folder in
            let open = { (number: Int) in
                FailingStorage(RecordingStorage(FileStorage(at: folder.appending(path: "\(number).json"))))
            }
            try StorageConformance.check(
                makeStorage: { open($0) }, reopen: { number, _ in open(number) },
                setFailing: { storage, isFailing in
                    let storage = storage as? FailingStorage
                    isFailing ? storage?.fail(.append, with: noSpace) : storage?.heal()
                },
                values: [.integer(1)])
        }
    }

    @Test("storages of one place, which others change too, keep all promises") func shared() throws {
        let places = SharedPlaces()
        try StorageConformance.check(
            makeStorage: { SharedStorage(places[$0]) }, reopen: { number, _ in SharedStorage(places[number]) },
            makeOther: { number, _ in SharedStorage(places[number]) })
    }

    @Test("a storage whose lock keeps nobody out is found out") func lockless() {
        let places = SharedPlaces()
        let failure = #expect(throws: StorageConformanceFailure.self) {
            try StorageConformance.check(
                makeStorage: { SharedStorage(places[$0], ignoresLock: true) },
                reopen: { number, _ in SharedStorage(places[number]) },
                makeOther: { number, _ in SharedStorage(places[number], ignoresLock: true) })
        }
        #expect(failure?.failures.count == 1)
        #expect(failure?.description.contains("another one can't append") == true)
    }

    @Test("a storage that reserves a name for two is found out") func reservedTwice() {
        let places = SharedPlaces()
        let failure = #expect(throws: StorageConformanceFailure.self) {
            try StorageConformance.check(
                makeStorage: { SharedStorage(places[$0], ignoresReservations: true) },
                reopen: { number, _ in SharedStorage(places[number]) },
                makeOther: { number, _ in SharedStorage(places[number], ignoresReservations: true) })
        }
        #expect(failure?.failures.count == 1)
        #expect(failure?.description.contains("has reserved a name, another one can't") == true)
    }

    @Test("a storage that forgets is found out, by name") func forgetful() {
        let failure = #expect(throws: StorageConformanceFailure.self) {
            try StorageConformance.check(
                makeStorage: { _ in InMemoryStorage() }, reopen: { _, _ in InMemoryStorage() })
        }
        #expect(failure?.description.contains("What was appended is loaded") == true)
    }

    @Test("a storage that takes a batch although it throws is found out") func dishonest() {
        let error = StorageError(.writeFailed, "It failed.")
        let failure = #expect(throws: StorageConformanceFailure.self) {
            let memory = WatchedStorages()
            try StorageConformance.check(
                makeStorage: { FailingStorage(memory.make($0)) },
                reopen: { number, _ in FailingStorage(memory.reopen(number)) },
                setFailing: { storage, isFailing in
                    let storage = storage as? FailingStorage
                    isFailing ? storage?.fail(.append, with: error, moment: .after) : storage?.heal()
                })
        }
        #expect(failure?.failures.count == 1)
        #expect(failure?.description.contains("After a failed append the old values are there") == true)
    }
}

/// In-memory storages by number, to be opened again.
private final class WatchedStorages {
    private var storages: [Int: InMemoryStorage] = [:]

    func make(_ number: Int) -> InMemoryStorage {
        let storage = InMemoryStorage()
        storages[number] = storage
        return storage
    }

    func reopen(_ number: Int) -> InMemoryStorage {
        InMemoryStorage(storages[number]?.tree ?? SettingTree())
    }
}

/// A file storage whose device is full when a test says so.
private final class FailingFileStorage: Storage {
    private let calls = FaultySystemCalls()
    private let base: FileStorage

    init(at url: URL, format: FileFormat) {
        // Who has to wait for a lock here waits for itself.
        base = FileStorage(at: url, format: format, calls: calls, lockTimeout: LockTimeout(limit: .zero))
    }

    func setFailing(_ isFailing: Bool) {
        if isFailing {
            calls.fail(call: 0, with: .error(.noSpace), forGood: true)
        } else {
            calls.heal()
        }
    }

    func load() throws(StorageError) -> StorageContents { try base.load() }
    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) {
        try base.append(batch, durability: durability)
    }
    func checkpoint(_ tree: SettingTree, at moment: CheckpointReason) throws(StorageError) -> Bool {
        try base.checkpoint(tree, at: moment)
    }
    func externalChanges(since tree: () -> SettingTree) throws(StorageError) -> [ExternalChange] {
        try base.externalChanges(since: tree)
    }
    func watch(_ notify: @escaping @Sendable () -> Void) { base.watch(notify) }
    func lock() throws(StorageError) { try base.lock() }
    func unlock() { base.unlock() }
    func tryReserve(_ name: String) throws(StorageError) -> Bool { try base.tryReserve(name) }
    func giveUp(_ name: String) { base.giveUp(name) }
    func close() { base.close() }
}

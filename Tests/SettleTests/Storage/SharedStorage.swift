import Settle
import Synchronization

/// Places in memory, by number.
final class SharedPlaces {
    private var places: [Int: SharedStorage.Place] = [:]

    subscript(number: Int) -> SharedStorage.Place {
        let place = places[number] ?? SharedStorage.Place()
        places[number] = place
        return place
    }
}

/// A storage in memory of which several may be open, as if each were another process's.
final class SharedStorage: Storage {
    final class Place: Sendable {
        fileprivate struct State {
            var batches: [(owner: ObjectIdentifier, batch: StorageBatch)] = []
            var holder: ObjectIdentifier?
            var reservations: [String: ObjectIdentifier] = [:]
            var watchers: [@Sendable () -> Void] = []
        }

        fileprivate let state = LockedValue(State())

        var tree: SettingTree {
            state.withLock { state in state.batches.reduce(into: SettingTree()) { $0.apply($1.batch.values) } }
        }
    }

    private let place: Place
    private let ignoresLock: Bool
    private let ignoresReservations: Bool
    /// How many of the place's batches have been seen.
    private let seen = LockedValue(0)
    private let isClosed = Atomic(false)
    private var id: ObjectIdentifier { ObjectIdentifier(self) }

    init(_ place: Place, ignoresLock: Bool = false, ignoresReservations: Bool = false) {
        self.place = place
        self.ignoresLock = ignoresLock
        self.ignoresReservations = ignoresReservations
    }

    private func checkOpen() throws(StorageError) {
        guard !isClosed.load(ordering: .acquiring) else { throw StorageError(.closed, "It has been closed.") }
    }

    func load() throws(StorageError) -> StorageContents {
        try checkOpen()
        let (tree, count) = place.state.withLock { state in
            (state.batches.reduce(into: SettingTree()) { $0.apply($1.batch.values) }, state.batches.count)
        }
        seen.withLock { $0 = count }
        return StorageContents(tree: tree, outcome: count == 0 ? .absent : .intact)
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) {
        try checkOpen()
        guard !batch.values.isEmpty else { return }
        let watchers: [@Sendable () -> Void]? = place.state.withLock { state in
            if let holder = state.holder, holder != id, !ignoresLock { return nil }
            state.batches.append((id, batch))
            return state.watchers
        }
        guard let watchers else { throw StorageError(.writeFailed, "Somebody else has the lock.") }
        for watcher in watchers { watcher() }
    }

    func externalChanges(since tree: () -> SettingTree) throws(StorageError) -> [ExternalChange] {
        try checkOpen()
        return place.state.withLock { state in
            let start = seen.withLock { seen in
                defer { seen = state.batches.count }
                return seen
            }
            var changes: [ExternalChange] = []
            for (owner, batch) in state.batches.dropFirst(start) {
                if owner != id {
                    changes.append(ExternalChange(.values(batch.values), author: batch.author))
                } else {
                    for index in changes.indices { changes[index].overwrite(batch.values) }
                }
            }
            return changes
        }
    }

    func watch(_ notify: @escaping @Sendable () -> Void) {
        place.state.withLock { $0.watchers.append(notify) }
    }

    /// Spins, because there is no time in it.
    func lock() throws(StorageError) {
        while true {
            let isMine = place.state.withLock { state in
                if state.holder == nil { state.holder = id }
                return state.holder == id
            }
            if isMine { return }
        }
    }

    func unlock() {
        place.state.withLock { $0.holder = nil }
    }

    func tryReserve(_ name: String) throws(StorageError) -> Bool {
        try checkOpen()
        return place.state.withLock { state in
            guard state.reservations[name] == nil || ignoresReservations else { return false }
            state.reservations[name] = id
            return true
        }
    }

    func giveUp(_ name: String) {
        place.state.withLock { $0.reservations[name] = nil }
    }

    func close() {
        place.state.withLock { state in state.reservations = state.reservations.filter { $0.value != id } }
        isClosed.store(true, ordering: .releasing)
    }
}

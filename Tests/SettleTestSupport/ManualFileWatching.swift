package import Settle

/// Watches nothing: a test reports what has happened.
package final class ManualFileWatching: FileWatching {
    private struct Watched {
        var places: [FilePath: Set<String>]
        let notify: @Sendable (FileEvents) -> Void
    }

    private let watched = LockedValue<(watches: [Int: Watched], next: Int)>(([:], 0))
    private let foreignChanges = LockedValue(0)

    package init() {}

    /// The places of all watches together.
    package var places: [FilePath: Set<String>] {
        watched.withLock { watched in
            watched.watches.values.reduce(into: [:]) { $0.merge($1.places) { $0.union($1) } }
        }
    }

    /// How often a watch has recorded a change of another process.
    package var foreignChangeCount: Int { foreignChanges.withLock { $0 } }

    fileprivate func foundForeignChange() { foreignChanges.withLock { $0 += 1 } }

    /// Notifies every watch of one of the files; if there are no files, every watch.
    package func tell(_ events: FileEvents) {
        let watches = watched.withLock { Array($0.watches.values) }
        for watch in watches {
            let isMeant = events.files.contains { watch.places[$0.folder]?.contains($0.name) == true }
            if events.files.isEmpty || isMeant { watch.notify(events) }
        }
    }

    package func watch(
        _ places: [FilePath: Set<String>], _ notify: @escaping @Sendable (FileEvents) -> Void
    ) -> any FileWatch {
        let number = watched.withLock { watched in
            watched.next += 1
            watched.watches[watched.next] = Watched(places: places, notify: notify)
            return watched.next
        }
        return ManualFileWatch(number: number, owner: self)
    }

    fileprivate func update(_ number: Int, _ places: [FilePath: Set<String>]?) {
        watched.withLock { watched in
            if let places { watched.watches[number]?.places = places } else { watched.watches[number] = nil }
        }
    }
}

private final class ManualFileWatch: FileWatch {
    private let number: Int
    private let owner: ManualFileWatching

    init(number: Int, owner: ManualFileWatching) {
        self.number = number
        self.owner = owner
    }

    deinit {
        cancel()
    }

    func update(_ places: [FilePath: Set<String>]) {
        owner.update(number, places)
    }

    func foundForeignChange() { owner.foundForeignChange() }

    func cancel() {
        owner.update(number, nil)
    }
}

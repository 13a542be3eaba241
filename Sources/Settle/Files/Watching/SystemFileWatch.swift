import Synchronization

/// A watch made by ``SystemFileWatching``.
final class SystemFileWatch: FileWatch {
    let user: Int
    private let owner: SystemFileWatching
    private let notify: @Sendable (FileEvents) -> Void
    private let isCancelled = Atomic(false)

    init(user: Int, owner: SystemFileWatching, _ notify: @escaping @Sendable (FileEvents) -> Void) {
        self.user = user
        self.owner = owner
        self.notify = notify
    }

    deinit {
        if !isCancelled.load(ordering: .relaxed) { owner.remove(user) }
    }

    func update(_ places: [FilePath: Set<String>]) {
        guard !isCancelled.load(ordering: .acquiring) else { return }
        owner.update(places, of: user)
    }

    func foundForeignChange() { owner.foundForeignChange() }

    func cancel() {
        guard !isCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        owner.remove(user)
    }

    /// Called on the queue of all watches.
    func tell(_ events: FileEvents) {
        guard !isCancelled.load(ordering: .acquiring) else { return }
        notify(events)
    }
}

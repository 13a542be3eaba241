import Synchronization

/// A named lock that one task holds, from its acquisition to its release.
final class NamedLock: Sendable {
    /// The locks of the current task, including those inherited from the tasks that started it.
    @TaskLocal static var current: [NamedLock] = []

    private let name: String
    /// Valid while the lock is held, because the store lives at least as long.
    private let store: ObjectIdentifier
    private let isHeld = Atomic(true)

    init(to store: Engine, named name: String) {
        self.name = name
        self.store = ObjectIdentifier(store)
    }

    /// Whether the current task, or a task that waits for it, holds the lock already, so that waiting would deadlock.
    static func isHeldByCurrentTask(to store: Engine, named name: String) -> Bool {
        current.contains { lock in
            // Skip released locks: a task may outlive the lock of the task that started it.
            lock.isHeld.load(ordering: .acquiring) && lock.store == ObjectIdentifier(store) && lock.name == name
        }
    }

    /// The names of the locks that the current task holds, or one that waits for it.
    static func namesHeldByCurrentTask(to store: Engine) -> [String] {
        if current.isEmpty { return [] }
        return current.filter { $0.isHeld.load(ordering: .acquiring) && $0.store == ObjectIdentifier(store) }.map(
            \.name)
    }

    func end() {
        isHeld.store(false, ordering: .releasing)
    }
}

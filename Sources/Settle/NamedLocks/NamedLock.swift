import Synchronization

/// A named lock that one task holds, from its acquisition to its release.
final class NamedLock: Sendable {
    /// The accesses of the current task, including those inherited from the tasks that started it.
    @TaskLocal static var current: [NamedLock] = []

    private let name: String
    /// Valid while the access is in force, because the store lives at least as long.
    private let store: ObjectIdentifier
    private let isInForce = Atomic(true)

    init(to store: StoreCore, named name: String) {
        self.name = name
        self.store = ObjectIdentifier(store)
    }

    /// Whether the current task, or a task that waits for it, has the access already, so that waiting would deadlock.
    static func isHeldByCurrentTask(to store: StoreCore, named name: String) -> Bool {
        current.contains { access in
            // Skip ended accesses: a task may outlive the access of the task that started it.
            access.isInForce.load(ordering: .acquiring) && access.store == ObjectIdentifier(store)
                && access.name == name
        }
    }

    func end() {
        isInForce.store(false, ordering: .releasing)
    }
}

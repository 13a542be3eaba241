import Synchronization

/// One task's exclusive access under one name, from the moment in which it has it until it gives it up.
final class ExclusiveAccess: Sendable {
    /// What the current task has, and what the tasks had that it was started in.
    @TaskLocal static var current: [ExclusiveAccess] = []

    private let name: String
    /// Stays meaningful while this is in force, because the store lives at least as long.
    private let store: ObjectIdentifier
    private let isInForce = Atomic(true)

    init(to store: StoreCore, named name: String) {
        self.name = name
        self.store = ObjectIdentifier(store)
    }

    /// Whether the current task would wait for itself, or for the one that waits for it.
    static func isHeldByCurrentTask(to store: StoreCore, named name: String) -> Bool {
        current.contains { access in
            // A task may live longer than the one in which it was started had its access.
            access.isInForce.load(ordering: .acquiring) && access.store == ObjectIdentifier(store)
                && access.name == name
        }
    }

    func end() {
        isInForce.store(false, ordering: .releasing)
    }
}

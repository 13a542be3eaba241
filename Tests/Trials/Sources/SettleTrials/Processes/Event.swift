import Synchronization

/// Something that happens once, for several threads.
final class Event: Sendable {
    private let flag = Atomic(false)

    var hasHappened: Bool { flag.load(ordering: .acquiring) }

    func happen() { flag.store(true, ordering: .releasing) }
}

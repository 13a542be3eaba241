import Synchronization

/// A source of changes that subscribers wait for: a setting, a group of settings, or a whole store.
///
/// A setting's topic has its group's as parent, and so on up to the store's. All state is guarded by the lock of the
/// topic's log, so the hot properties do without the run-time check for exclusive access.
@usableFromInline
package class Topic: @unchecked Sendable {
    // Sendable: see above.
    /// Constant once a store has opened the group.
    package final var parent: Topic? {
        didSet { enclosing.store(parent.map { .passUnretained($0) }, ordering: .releasing) }
    }
    /// The parent, for walking up without reference counting, even without the lock. A topic keeps its parent alive,
    /// and the only parent that it ever replaces is the root.
    private final let enclosing: Atomic<Unmanaged<Topic>?>
    /// The number of transactions that have marked this topic.
    @exclusivity(unchecked) final var changeCount: UInt64 = 0
    /// The number of these that are saved, rather than kept in memory only.
    @exclusivity(unchecked) final var persistentCount: UInt64 = 0
    /// The last transaction that marked this topic; 0 before the first.
    @exclusivity(unchecked) final var lastRevision: UInt64 = 0
    /// The subscribers that wait for the next change; created with the first of them.
    @exclusivity(unchecked) final var waiters: WaiterList?
    /// Whether the broadcaster is going to wake the waiters.
    @exclusivity(unchecked) final var isPending = false
    /// Whether the settings were released, so that there will be no further changes.
    final var isFinished = false
    /// In a group that no store has opened: the number of its settings and groups in use.
    final var memberCount = 0

    package init(parent: Topic?) {
        self.parent = parent
        enclosing = Atomic(parent.map { .passUnretained($0) })
    }

    /// Whether every transaction marks it, even one that changes only values that other domains cover.
    var hasEveryTransaction: Bool { false }

    final func isWithin(_ ancestor: Topic) -> Bool {
        var next: Unmanaged<Topic>? = .passUnretained(self)
        while let topic = next {
            if topic.toOpaque() == Unmanaged.passUnretained(ancestor).toOpaque() { return true }
            next = topic._withUnsafeGuaranteedRef { $0.enclosing.load(ordering: .acquiring) }
        }
        return false
    }

    /// Calls a closure with the identity of this topic and of each one around it, from the inside out.
    // Not inlined: the loop crashes the optimizer of Swift 6.3.
    @inline(never)
    final func forEachEnclosing(_ body: (ObjectIdentifier) -> Void) {
        var next: Unmanaged<Topic>? = .passUnretained(self)
        while let topic = next {
            next = topic._withUnsafeGuaranteedRef { topic in
                body(ObjectIdentifier(topic))
                return topic.enclosing.load(ordering: .acquiring)
            }
        }
    }

    /// Counts a transaction on this topic and those around it, and adds those with waiting subscribers to a list.
    final func touch(_ revision: UInt64, isPersistent: Bool, pending: inout [Topic]) {
        var next: Unmanaged<Topic>? = .passUnretained(self)
        while let topic = next {
            next = topic._withUnsafeGuaranteedRef { topic in
                // Already marked by this transaction, and so are its parents.
                guard topic.lastRevision != revision else { return nil }
                topic.lastRevision = revision
                topic.changeCount &+= 1
                if isPersistent { topic.persistentCount &+= 1 }
                if !topic.isPending, topic.waiters != nil { topic.wake(&pending) }
                return topic.enclosing.load(ordering: .acquiring)
            }
        }
    }

    final func park(_ waiter: Waiter, _ continuation: UnsafeContinuation<Void, Never>) {
        if waiters == nil { waiters = WaiterList() }
        waiters?.append(waiter, continuation)
    }

    final func wake(_ pending: inout [Topic]) {
        // First what counts no references: in a burst nearly every write finds the topic pending.
        guard !isPending, let waiters, !waiters.isEmpty else { return }
        isPending = true
        pending.append(self)
    }
}

extension Topic {
    /// Returns the innermost topic around two topics of one log.
    static func common(_ first: Topic, _ second: Topic) -> Topic {
        var topic = first
        while !second.isWithin(topic), let parent = topic.parent { topic = parent }
        return topic
    }
}

/// The topic for subscribers of the application's values. It is around the store's topic.
final class ApplicationTopic: Topic, @unchecked Sendable {
    // Sendable: as its superclass; it adds no state.
    override var hasEveryTransaction: Bool { true }
}

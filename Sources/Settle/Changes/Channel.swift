import Synchronization

/// Something whose changes can be waited for: a setting, a group of settings, or a whole store.
///
/// A setting's channel has its group's as parent, and so on up to the store's. All state is guarded by the lock of the
/// log to which the channel belongs, which is why the hot ones go without the run-time check for exclusive access.
@usableFromInline
package class Channel: @unchecked Sendable {
    // Sendable: see above.
    /// Fixed once a store has opened the group.
    package final var parent: Channel? {
        didSet { enclosing.store(parent.map { .passUnretained($0) }, ordering: .releasing) }
    }
    /// The same, for walking up without counting references, also by who does not have the lock: a channel keeps its parent
    /// alive, and the only one that it ever changes is the root.
    private final let enclosing: Atomic<Unmanaged<Channel>?>
    /// The transactions that touched this channel.
    @exclusivity(unchecked) final var changeCount: UInt64 = 0
    /// Those of them that are saved, rather than kept in memory only.
    @exclusivity(unchecked) final var persistentCount: UInt64 = 0
    /// The last transaction that touched this channel; 0 before the first.
    @exclusivity(unchecked) final var lastRevision: UInt64 = 0
    /// Who waits for the next change; made when somebody does.
    @exclusivity(unchecked) final var waiters: WaiterList?
    /// Whether the broadcaster has been told to wake the waiters.
    @exclusivity(unchecked) final var isPending = false
    /// Whether the settings have been let go of, so that no change comes any more.
    final var isFinished = false
    /// In a group that no store has opened: the settings and groups in it that are in use.
    final var memberCount = 0

    package init(parent: Channel?) {
        self.parent = parent
        enclosing = Atomic(parent.map { .passUnretained($0) })
    }

    final func isWithin(_ ancestor: Channel) -> Bool {
        var next: Unmanaged<Channel>? = .passUnretained(self)
        while let channel = next {
            if channel.toOpaque() == Unmanaged.passUnretained(ancestor).toOpaque() { return true }
            next = channel._withUnsafeGuaranteedRef { $0.enclosing.load(ordering: .acquiring) }
        }
        return false
    }

    /// Calls a closure for the identity of this channel and of each one around it, from the inside out.
    // Inlined, the loop crashes the optimizer of Swift 6.3.
    @inline(never)
    final func forEachEnclosing(_ body: (ObjectIdentifier) -> Void) {
        var next: Unmanaged<Channel>? = .passUnretained(self)
        while let channel = next {
            next = channel._withUnsafeGuaranteedRef { channel in
                body(ObjectIdentifier(channel))
                return channel.enclosing.load(ordering: .acquiring)
            }
        }
    }

    /// Counts a transaction on this channel and those around it, and puts those that somebody waits for on a list.
    final func touch(_ revision: UInt64, isPersistent: Bool, pending: inout [Channel]) {
        var next: Unmanaged<Channel>? = .passUnretained(self)
        while let channel = next {
            next = channel._withUnsafeGuaranteedRef { channel in
                // A channel that this transaction has touched already has passed it on to its parents.
                guard channel.lastRevision != revision else { return nil }
                channel.lastRevision = revision
                channel.changeCount &+= 1
                if isPersistent { channel.persistentCount &+= 1 }
                if channel.waiters != nil { channel.wake(&pending) }
                return channel.enclosing.load(ordering: .acquiring)
            }
        }
    }

    final func wake(_ pending: inout [Channel]) {
        guard let waiters, !waiters.isEmpty, !isPending else { return }
        isPending = true
        pending.append(self)
    }
}

extension Channel {
    /// The innermost channel around two channels of one log.
    static func common(_ first: Channel, _ second: Channel) -> Channel {
        var channel = first
        while !second.isWithin(channel), let parent = channel.parent { channel = parent }
        return channel
    }
}

/// Something whose changes can be waited for: a setting, a group of settings, or a whole store.
///
/// A setting's channel has its group's as parent, and so on up to the store's. All state is guarded by the lock of the
/// log to which the channel belongs, which is why the hot ones go without the run-time check for exclusive access.
@usableFromInline
package class Channel: @unchecked Sendable {
    // Sendable: see above.
    package let parent: Channel?
    /// The same, for walking up without counting references: a channel keeps its parent alive.
    private let unmanagedParent: Unmanaged<Channel>?
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
    /// After a move to another log: where this channel's changes are now.
    final var successor: Successor?

    package init(parent: Channel?) {
        self.parent = parent
        unmanagedParent = parent.map { .passUnretained($0) }
    }

    final func isWithin(_ ancestor: Channel) -> Bool {
        var next: Unmanaged<Channel>? = .passUnretained(self)
        while let channel = next {
            if channel.toOpaque() == Unmanaged.passUnretained(ancestor).toOpaque() { return true }
            next = channel._withUnsafeGuaranteedRef { $0.unmanagedParent }
        }
        return false
    }

    /// Calls a closure for the identity of this channel and of each one around it, from the inside out.
    final func forEachEnclosing(_ body: (ObjectIdentifier) -> Void) {
        var next: Unmanaged<Channel>? = .passUnretained(self)
        while let channel = next {
            next = channel._withUnsafeGuaranteedRef { channel in
                body(ObjectIdentifier(channel))
                return channel.unmanagedParent
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
                return channel.unmanagedParent
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

/// Where a channel's changes are after a move to another log, and which of them come after the move.
struct Successor {
    let log: MutationLog
    let channel: Channel
    let nextRevision: UInt64
    let changeCount: UInt64

    /// The changes of a channel from now on.
    init(_ channel: Channel, in log: MutationLog) {
        self.log = log
        self.channel = channel
        (nextRevision, changeCount) = log.lock.withLock { (log.revision &+ 1, channel.changeCount) }
    }
}

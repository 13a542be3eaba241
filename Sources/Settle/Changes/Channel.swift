/// Something whose changes can be waited for: a setting, a group of settings, or a whole store.
///
/// A setting's channel has its group's as parent, and so on up to the store's. All state is guarded by the lock of the
/// log to which the channel belongs.
@usableFromInline
package class Channel: @unchecked Sendable {
    // Sendable: see above.
    package let parent: Channel?
    /// The transactions that touched this channel.
    final var changeCount: UInt64 = 0
    /// The last transaction that touched this channel; 0 before the first.
    final var lastRevision: UInt64 = 0
    /// Who waits for the next change; made when somebody does.
    final var waiters: WaiterList?
    /// Whether the broadcaster has been told to wake the waiters.
    final var isPending = false
    /// After a move to another log: where this channel's changes are now.
    final var successor: Successor?

    package init(parent: Channel?) {
        self.parent = parent
    }

    final func isWithin(_ ancestor: Channel) -> Bool {
        var channel: Channel? = self
        while let current = channel {
            if current === ancestor { return true }
            channel = current.parent
        }
        return false
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

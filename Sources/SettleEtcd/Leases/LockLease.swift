import Settle

/// A named lock that this client holds, and until when it may rely on that.
struct LockLease: Sendable, Equatable {
    var name: String
    /// etcd's lease.
    var lease: Int64
    /// The revision at which the lock was taken: higher for each holder.
    var revision: Int64
    /// When the last renewal that was granted had been sent.
    var sent: Duration
    /// How long the lease lasts after that, less the margin.
    var timeToLive: Duration

    /// From here on another may hold the lock.
    ///
    /// Counted from the sending: the cluster may have begun to count only when the request arrived, never before it.
    var end: Duration { sent + timeToLive }

    func isHeld(now: Duration) -> Bool { now < end }
}

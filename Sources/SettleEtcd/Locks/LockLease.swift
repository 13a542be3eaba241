import Settle

/// A named lock that this client holds, and until when it may rely on that.
struct LockLease: Sendable, Equatable {
    let name: String
    /// etcd's lease.
    let lease: Int64
    /// The revision at which the lock was taken: higher for each holder.
    let revision: Int64
    /// When the last renewal that was granted had been sent.
    private(set) var sent = Duration.zero
    /// How long the lease lasts after that, less the margin.
    private(set) var timeToLive = Duration.zero

    init(name: String, lease: Int64, revision: Int64, sent: Duration, seconds: Int64, margin: Duration) {
        self.name = name
        self.lease = lease
        self.revision = revision
        renew(sent: sent, seconds: seconds, margin: margin)
    }

    /// The lease was granted for so many seconds. The holder relies on the margin less of it, and on half at least.
    mutating func renew(sent: Duration, seconds: Int64, margin: Duration) {
        let whole = Duration.seconds(seconds)
        self.sent = sent
        timeToLive = whole - min(max(margin, .zero), whole / 2)
    }

    /// From here on another may hold the lock.
    ///
    /// Counted from the sending: the cluster may have begun to count only when the request arrived, never before it.
    var end: Duration { sent + timeToLive }

    func isHeld(now: Duration) -> Bool { now < end }

    /// - Parameter position: The place of what is known now.
    func storageLease(at position: StoragePosition) -> StorageLease {
        StorageLease(
            name: name, fencingNumber: UInt64(clamping: revision), position: position, timeToLive: timeToLive)
    }
}

import Settle

/// A named lock that this client holds, and how long the client may rely on it.
struct LockLease: Sendable, Equatable {
    let name: String
    /// The identifier of etcd's lease.
    let lease: Int64
    /// The revision at which the lock was taken: higher for each holder.
    let revision: Int64
    /// The time at which the last granted renewal was sent.
    private(set) var sent = Duration.zero
    /// The duration of the lease after that, less the margin.
    private(set) var timeToLive = Duration.zero

    init(name: String, lease: Int64, revision: Int64, sent: Duration, seconds: Int64, margin: Duration) {
        self.name = name
        self.lease = lease
        self.revision = revision
        renew(sent: sent, seconds: seconds, margin: margin)
    }

    /// Records that the lease was granted for this many seconds. The holder relies on that time less the margin, but at
    /// least on half of it.
    mutating func renew(sent: Duration, seconds: Int64, margin: Duration) {
        let whole = Duration.seconds(seconds)
        self.sent = sent
        timeToLive = whole - min(max(margin, .zero), whole / 2)
    }

    /// The time from which another client may hold the lock.
    ///
    /// It is counted from the sending of the request: the cluster may have begun to count only when the request
    /// arrived, but never before it.
    var end: Duration { sent + timeToLive }

    func isHeld(now: Duration) -> Bool { now < end }

    /// - Parameter position: The position of the values known now.
    func storageLease(at position: StoragePosition) -> StorageLease {
        StorageLease(
            name: name, fencingNumber: UInt64(clamping: revision), position: position, timeToLive: timeToLive)
    }
}

/// Decides the next step of a machine that reports. Pure.
///
/// ```
///   unknown ──grant a lease, put──▶ reported ──something else is in force──▶ put
///      ▲                              │   ▲
///      │ the lease has ended          │   └── a third of its time has passed ──▶ renew
///      └──────────────────────────────┘
/// ```
///
/// After a failed call it is unknown whether the lease is still valid: a new lease replaces it, and the old one ends by
/// itself. Only a call that etcd denies shows that it is.
struct MachineReporter {
    enum Step: Equatable {
        case register, put(lease: Int64), renew(lease: Int64), wait
    }

    private var lease: Int64?
    private var reported: EtcdMachine?
    private var renewed = Duration.zero
    private let timeToLive: Duration

    init(timeToLive: Duration) { self.timeToLive = timeToLive }

    func next(_ machine: EtcdMachine, now: Duration) -> Step {
        guard let lease else { return .register }
        if !isReported(machine) { return .put(lease: lease) }
        return now >= due ? .renew(lease: lease) : .wait
    }

    /// Returns whether the last report said the same, at another time.
    private func isReported(_ machine: EtcdMachine) -> Bool {
        guard let reported else { return false }
        return machine.token == reported.token && machine.layers == reported.layers
            && machine.problems == reported.problems
    }

    /// When the lease has to be renewed.
    var due: Duration { renewed + timeToLive / 3 }

    /// The lease to revoke at the end.
    var currentLease: Int64? { lease }

    mutating func didRegister(_ lease: Int64, now: Duration) { (self.lease, reported, renewed) = (lease, nil, now) }

    mutating func didPut(_ machine: EtcdMachine) { reported = machine }

    mutating func didRenew(now: Duration) { renewed = now }

    mutating func failed() { lease = nil }
}

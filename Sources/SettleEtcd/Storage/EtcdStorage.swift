public import Settle

/// Keeps settings in an etcd cluster, which many machines share: each setting is a key under a prefix, with its value
/// as JSON, and each batch is one transaction of etcd.
///
/// ```swift
/// let storage = EtcdStorage(
///     EtcdConfiguration(endpoints: ["https://10.0.0.1:2379", "https://10.0.0.2:2379"], prefix: "/fleet/limits/"),
///     transport: transport, localCopy: FileStorage(at: file))
/// let store = try await SettingsStore.open(storage: storage)
/// ```
///
/// **What a batch does.** One transaction compares that nothing under the prefix has changed since the revision that is
/// known here, and writes the values and the client's marker. If something has changed, the same trip brings it; a
/// batch on the condition of a position then has a conflict, any other one is put over what is new. When the answer
/// says so, a majority of the cluster has the batch on its disks.
///
/// **What each failure leaves behind.**
///
/// | failure | in the cluster | here |
/// |---|---|---|
/// | no member is reached | nothing | a commit is undone; plain writes stay in force, and in the local copy |
/// | the answer is lost | all or nothing | the next call replaces the marker, which settles it: the batch has landed, or can't any more. Until then it may have been stored; if the stream brings it, it is told as a change with its `ExternalChange.batch` |
/// | etcd refuses | nothing | the error names the endpoint, the prefix, the key and what to do |
/// | the process ends before the answer | all or nothing | plain writes are in the local copy; the next load finds in the marker whether they landed |
/// | the stream of changes is cut or silent | what others have stored | it is opened again behind the last revision that was followed; what was forgotten meanwhile comes as a difference |
/// | etcd leaves a change out of the stream | what others have stored | a read of all keys finds it, a few minutes later |
/// | the database is full | nothing, except what the first one that finds it so writes | a read tells whether it has landed; the error says what to do |
/// | a member without a majority | nothing | it counts as one that is not reached |
/// | the cluster is another one, or a snapshot was restored | what is there | everything is read again, and an issue reports it |
///
/// **Plain writes while the cluster can't be reached** are in the local copy before they are sent, as whole
/// transactions with the revision that they were based on:
///
/// ```
///   written ──▶ pending ──sent──▶ stored
///                │ the process ends
///                ▼
///             inherited ──no key is newer in the cluster──▶ stored
///                │ a key is newer
///                ▼
///              lost: the cluster's values are in force; `lostTransactions()` has them
/// ```
///
/// As long as the process runs, the store decides in the same way for what it holds.
public actor EtcdStorage: HistoryStorage {
    enum Phase {
        case unread, open, closed
    }

    let configuration: EtcdConfiguration
    let cluster: Cluster
    let time: TimeSource
    let local: LocalCopy?
    /// Storing, reading and settling happen one after the other; the stream of changes goes on meanwhile.
    let turns = Turns()
    nonisolated let events = EventRelay()
    /// The view's newest token.
    nonisolated let newest = LockedValue<ChangeToken?>(nil)
    /// Whether the view's policy shows a history.
    nonisolated let showsHistory = LockedValue(false)
    nonisolated let holders = LockedValue<[KeyName: String]>([:])

    var phase = Phase.unread
    /// Whether the values are those of the local copy, and the cluster was not reached yet.
    var isStale = false
    var view: ClusterView {
        didSet {
            // Without a store that takes the changes, nothing is held back. Here, where it does not call the observer
            // again.
            view.isWatched = events.isConnected
            viewDidChange()
        }
    }
    /// Whether a stream has ended and no other one is open. Until then, each call begins by checking that the cluster
    /// still has the history that is known here.
    var isInterrupted = false
    /// What the local copy knows of the history, until that is checked.
    var localWitness: Witness?
    var locks = HeldLocks()
    var writes = PendingWrites()
    var isLocalLoaded = false
    var undecided: UndecidedBatch?
    /// The batch that a barrier has found stored. The mirror may not have its marker yet.
    var foundBatch: StorageBatch.ID?
    /// Without the marker, a request that was taken for lost could land, or others would not notice a deletion.
    var mustKeepMarker = false

    // The stream of changes; see `EtcdStorage+Watch.swift`.
    var machine: WatchMachine { didSet { if !isFollowing { awaited?.yield() } } }
    var following: Task<Void, Never>?
    /// Woken when the stream has brought something, or has ended. One at a time waits: the one whose turn it is.
    var awaited: AsyncStream<Void>.Continuation?
    /// When all keys are to be compared next.
    var auditDue: Duration?
    /// The prefixes within this one that were reported, and whether one around it was.
    private var reportedPrefixes: Set<KeyName> = []
    var hasReportedOuterPrefix = false

    /// Nothing is read before ``load()``.
    ///
    /// - Parameters:
    ///   - configuration: Where the settings are.
    ///   - transport: Carries the requests.
    ///   - localCopy: What keeps the last known values, and plain writes while the cluster can't be reached: a
    ///     `FileStorage` of this storage alone. Without one, both are only in memory.
    public init(_ configuration: EtcdConfiguration, transport: any EtcdTransport, localCopy: (any Storage)? = nil) {
        self.configuration = configuration
        time = TimeSource(configuration.clock)
        cluster = Cluster(
            client: EtcdClient(transport, configuration, time), space: KeySpace(prefix: configuration.prefix),
            time: time, deadline: configuration.deadline)
        local = localCopy.map(LocalCopy.init)
        view = ClusterView(cluster.space)
        machine = WatchMachine(delays: configuration.reconnectDelay)
        // Twice, a transaction may not be answered, and each member may have to be asked for its outcome.
        limits = StorageLimits(
            keys: BatchPlan.keyLimit, bytes: BatchPlan.sizeLimit - (64 << 10),
            time: configuration.deadline * (2 * max(2, configuration.endpoints.count) + 2), sharesVersions: true)
    }

    /// 127 settings and about 1.4 MiB a transaction.
    public nonisolated let limits: StorageLimits

    /// Refuses what JSON can't hold, what is too large for a request, and the names that the storage needs itself.
    public nonisolated func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        try space.check(value, at: key)
    }

    nonisolated var space: KeySpace { cluster.space }

    /// The keys under the prefix that are no settings, or whose values are no JSON, with the reason. They are kept. A
    /// name that is not UTF-8 has a replacement character for what is not. Names that are equal as `String`s are listed
    /// with their bytes, as in `caf%C3%A9`.
    public func unusableKeys() -> [String: String] { KeyName.byText(view.mirror.unusable) }

    private func viewDidChange() {
        newest.withLock { $0 = view.recent.end }
        for lock in locks.removeLost(in: view.mirror, followed: view.followed) {
            events.send(.leaseLost(lock.storageLease(at: view.position)))
        }
        for inner in view.mirror.nestedPrefixes where reportedPrefixes.insert(inner).inserted {
            events.send(.issue(space.isUsedWithin(inner)))
        }
        awaited?.yield()
    }

    // MARK: What others have stored

    public func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        try await turns.run { () throws(StorageError) in
            try checkOpen()
            // The stream has brought something that the store can have at once; more comes with the next event.
            // Whoever has just taken a lock gets all that was stored before.
            if !isFollowing || isStale || !view.log.hasNews || view.mirror.revision < locks.newestRevision {
                try await connect()
                try await refresh()
            }
            let mirror = view.mirror
            let changes = StorageChanges(view.log.take(at: mirror.revision, tree: mirror.tree), position: view.position)
            writes.didFind(changes.changes.compactMap(\.batch))
            await save()
            return changes
        }
    }

    /// Makes up for a start without the cluster, and for an interruption.
    func connect() async throws(StorageError) {
        do throws(StorageError) {
            try await verifyHistory()
        } catch {
            // What was sent before may have been stored.
            var error = error
            error.isOutcomeUnknown = undecided != nil
            throw error
        }
        try await sendInherited()
    }

    func checkOpen() throws(StorageError) {
        switch phase {
        case .open: break
        case .closed: throw space.closed
        case .unread: throw space.unread
        }
    }

    /// Calls the store if there is something new, unless it is on its way.
    func signalNews() {
        if view.log.hasNews, view.log.signal() { events.send(.mayHaveChanged) }
    }
}

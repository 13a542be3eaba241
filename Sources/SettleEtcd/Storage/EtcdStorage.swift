public import Settle

/// Keeps settings in an etcd cluster that many machines share. Each setting is a key under a prefix, with its value as
/// JSON, and each batch is one etcd transaction.
///
/// ```swift
/// let storage = EtcdStorage(
///     EtcdConfiguration(endpoints: ["https://10.0.0.1:2379", "https://10.0.0.2:2379"], prefix: "/fleet/limits/"),
///     transport: transport, localCopy: FileStorage(at: file))
/// let store = try await SettingsStore.open(storage: storage)
/// ```
///
/// **Storing a batch.** One transaction compares that nothing under the prefix has changed since the revision known
/// here, and writes the values and the client's marker. If something has changed, the same round trip returns the
/// change. A batch with a position as a condition then has a conflict; any other batch is put over the new values. When
/// the answer reports success, a majority of the cluster has the batch on its disks.
///
/// **The outcome of each failure.**
///
/// | failure | in the cluster | here |
/// |---|---|---|
/// | no member is reached | nothing | a commit is undone; plain writes stay in force, and in the local copy |
/// | the answer is lost | all or nothing | the next call replaces the marker, which decides it: the batch has landed, or can't any more. Until then it may have been stored; if the stream delivers it, it is reported as a change with its `ExternalChange.batch` |
/// | etcd refuses | nothing | the error names the endpoint, the prefix, the key and the remedy |
/// | the process ends before the answer | all or nothing | plain writes are in the local copy; the next load finds in the marker whether they landed |
/// | the stream of changes is cut or silent | the changes of others | it is reopened after the last revision that was followed; changes that were forgotten meanwhile are taken over as a difference |
/// | etcd leaves a change out of the stream | the changes of others | a read of all keys finds it, a few minutes later |
/// | the database is full | nothing, except the writes of the first transaction that finds it full | a read shows whether it has landed; the error names the remedy |
/// | a member without a majority | nothing | it counts as a member that is not reached |
/// | the cluster is another one, or a snapshot was restored | its current contents | everything is read again, and an issue reports it |
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
/// While the process runs, the store decides in the same way about the writes that it holds.
public actor EtcdStorage: HistoryStorage {
    enum Phase {
        case unread, open, closed
    }

    let configuration: EtcdConfiguration
    let cluster: Cluster
    let time: TimeSource
    let local: LocalCopy?
    /// Runs storing, reading and settling one after the other. The stream of changes continues meanwhile.
    let turns = Turns()
    nonisolated let events = EventRelay()
    /// The view's newest token.
    nonisolated let newest = LockedValue<ChangeToken?>(nil)
    /// Whether the view's policy shows a history.
    nonisolated let showsHistory = LockedValue(false)
    /// The view's contents of the schema's key.
    nonisolated let schemaContent = LockedValue<Mirror.Content?>(nil)
    nonisolated let holders = LockedValue<[KeyName: String]>([:])

    var phase = Phase.unread
    /// Whether the values are those of the local copy, and the cluster has not been reached yet.
    var isStale = false
    var view: ClusterView {
        didSet {
            // Without a store that takes the changes, nothing is held back. Set here, where it does not call the
            // observer again.
            view.isWatched = events.isConnected
            viewDidChange()
        }
    }
    /// Whether a stream has ended and no other one is open. Until then, each call first checks that the cluster still
    /// has the known history.
    var isInterrupted = false
    /// The local copy's knowledge of the history, until it is checked.
    var localWitness: Witness?
    var locks = HeldLocks()
    var writes = PendingWrites()
    var isLocalLoaded = false
    var undecided: UndecidedBatch?
    /// The batch that a barrier has found to be stored. The mirror may not have its marker yet.
    var foundBatch: StorageBatch.ID?
    /// Whether the marker must stay. Without it, a request that was considered lost could land, or others would not
    /// notice a deletion.
    var mustKeepMarker = false

    // The stream of changes; see `EtcdStorage+Watch.swift`.
    var machine: WatchMachine { didSet { if !isFollowing { awaited?.yield() } } }
    var following: Task<Void, Never>?
    /// Resumed when the stream has delivered something or has ended. Only the task at the head of the queue waits.
    var awaited: AsyncStream<Void>.Continuation?
    /// The time of the next comparison of all keys.
    var auditDue: Duration?
    /// A revision, and the time at which it was known: a key that has not changed since is at least that old, whatever
    /// the wall clocks show.
    var checkpoint: (revision: Int64, time: Duration)?
    /// The reported prefixes within this one, and whether one around it was reported.
    private var reportedPrefixes: Set<KeyName> = []
    var hasReportedOuterPrefix = false

    /// Creates a storage. Nothing is read before ``load()``.
    ///
    /// - Parameters:
    ///   - configuration: The location of the settings.
    ///   - transport: Carries the requests.
    ///   - localCopy: The storage of the last known values, and of plain writes while the cluster can't be reached: a
    ///     `FileStorage` used by this storage alone. Without one, both are only in memory.
    public init(_ configuration: EtcdConfiguration, transport: any EtcdTransport, localCopy: (any Storage)? = nil) {
        self.configuration = configuration
        time = TimeSource(configuration.clock)
        cluster = Cluster(
            client: EtcdClient(transport, configuration, time), space: KeySpace(prefix: configuration.prefix),
            time: time, deadline: configuration.deadline)
        local = localCopy.map(LocalCopy.init)
        view = ClusterView(cluster.space)
        machine = WatchMachine(delays: configuration.reconnectDelay)
        // A transaction may go unanswered twice, and each member may have to be asked for its outcome.
        limits = StorageLimits(
            keys: BatchPlan.keyLimit, bytes: BatchPlan.sizeLimit - (64 << 10),
            time: configuration.deadline * (2 * max(2, configuration.endpoints.count) + 2), sharesVersions: true,
            comparesReads: true)
    }

    /// At most 126 settings and about 1.4 MiB in a transaction.
    public nonisolated let limits: StorageLimits

    /// Refuses values that JSON can't represent or that are too large for a request, and the names that the storage
    /// reserves.
    public nonisolated func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        try space.check(value, at: key)
    }

    nonisolated var space: KeySpace { cluster.space }

    /// The wall time in seconds since 2001-01-01 00:00 UTC.
    nonisolated var wallTime: Double { configuration.wallClock?() ?? time.now() }

    /// Returns the keys under the prefix that are not settings, or whose values are not JSON or are nested too deeply,
    /// with the reason. They are kept. A name that is not UTF-8 has a replacement character for each invalid part.
    /// Names that are equal as `String`s are listed with their bytes, as in `caf%C3%A9`.
    public func unusableKeys() -> [String: String] { KeyName.byText(view.mirror.unusable) }

    private func viewDidChange() {
        newest.withLock { $0 = view.recent.end }
        schemaContent.withLock { $0 = view.mirror.entries[.schema]?.content }
        for lock in locks.removeLost(in: view.mirror, followed: view.followed) {
            events.send(.leaseLost(lock.storageLease(at: view.position)))
        }
        for inner in view.mirror.nestedPrefixes where reportedPrefixes.insert(inner).inserted {
            events.send(.issue(space.isUsedWithin(inner)))
        }
        awaited?.yield()
    }

    // MARK: Changes of others

    public func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        try await turns.run { () throws(StorageError) in
            try checkOpen()
            // The stream has delivered something that the store can have at once; more comes with the next event. A
            // client that has just taken a lock gets everything that was stored before.
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

    /// Makes up for a start without the cluster, or for an interruption.
    func connect() async throws(StorageError) {
        do throws(StorageError) {
            try await verifyHistory()
        } catch {
            // A batch sent before may have been stored.
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

    /// Notifies the store of changes, unless a notification is already on its way.
    func signalNews() {
        if view.log.hasNews, view.log.signal() { events.send(.mayHaveChanged) }
    }
}

import Synchronization

/// What a store has published: its revisions, its newest transactions, the waiting subscribers, and what is not saved
/// yet.
///
/// Everything except `lock` and the atomics is guarded by `lock`, which is held for a few stores at a time and never
/// while foreign code runs: no subscriber, observer, continuation, rule, coder or storage. So the hot state does
/// without the run-time check for exclusive access.
@usableFromInline
package final class MutationLog: @unchecked Sendable {
    // Sendable: see above.
    @usableFromInline let lock = Lock()
    /// Odd while values are being replaced, so that a reader of several values can tell whether it saw a single state.
    let sequence = Atomic<UInt64>(0)

    /// Whether changes were ever asked for; their times matter only then.
    private let followed = Atomic<Bool>(false)
    /// How many sequences are being iterated; see ``Waiter``.
    let subscribers = Atomic<Int>(0)
    /// Never touched by a local write.
    var counts = LogCounts()

    // Changes
    package let root = Topic(parent: nil)
    /// The topics of groups, by path.
    var topics: [SettingKey: Topic] = [:]
    /// Touched when more transactions have become durable.
    let durability = Topic(parent: nil)
    /// Never touched: waiting on it means waiting for the end.
    let lifetime = Topic(parent: nil)
    @exclusivity(unchecked) var ring: MutationRing
    /// The revision before the first transaction.
    let initialRevision: UInt64
    /// The most memory that the values of the kept transactions may take, in bytes.
    let costLimit: Int
    var durableRevision: UInt64
    @exclusivity(unchecked) var work = BroadcastWork()
    var isFinished = false
    @exclusivity(unchecked) var broadcaster = DrainState.absent
    @exclusivity(unchecked) var notifier = DrainState.absent

    // Values
    @exclusivity(unchecked) var slots = SlotIndex()
    /// Released settings, kept because the ring references them without counting.
    var released: [SettingSlot] = []
    /// The values as stored, or as last taken for saving.
    @exclusivity(unchecked) var tree: SettingTree

    // Saving
    /// The settings with unsaved values.
    @exclusivity(unchecked) var dirty: [(slot: SettingSlot, box: AnySettingBox)] = []
    /// Keeps the store open while there are any.
    @exclusivity(unchecked) var dirtyKeeper: StoreKeeper?
    /// Whether some of these lie within each other, or were replaced by something around them.
    var hasOverlaps = false
    /// Keys whose values were taken for saving but not taken by the storage yet.
    var keysBeingSaved: Set<SettingKey> = []
    var saveState = SaveState.idle
    /// Since when, in wall time, the storage's resting form could not be brought up to date, and why.
    var restingFormBehind: (since: Double, error: SettingsError)?
    /// Whether any taken values are not on stable storage.
    var hasTakenValues = false
    /// The newest revision when values were last taken.
    var lastTaken: UInt64
    /// Settings whose values could not be encoded, and the wall time of the oldest of these changes.
    var unencodable: [(slot: SettingSlot, box: AnySettingBox)] = []
    var oldestUnencodable: Double?
    var undurable = UndurableSettings()
    @exclusivity(unchecked) var attention = PersisterAttention.asleep
    @exclusivity(unchecked) var schedules: [DebouncedChanges] = []
    /// What keeps the store open; `nil` once nothing does. Set before the log is shared.
    weak var keeper: StoreKeeper?

    /// The state of a task that drains the log: the broadcaster, or the notifier of observers.
    enum DrainState {
        /// Not started: there has never been work.
        case absent
        case running
        case parked(UnsafeContinuation<Void, Never>)
    }

    init(historyLimit: Int, historyCostLimit: Int, initialRevision: UInt64 = 0, stored: SettingTree = SettingTree()) {
        tree = stored
        ring = MutationRing(capacity: historyLimit, costLimit: historyCostLimit, after: initialRevision)
        self.initialRevision = initialRevision
        costLimit = historyCostLimit
        durableRevision = initialRevision
        lastTaken = initialRevision
    }

    package var revision: UInt64 { ring.newest }

    var isFollowed: Bool { followed.load(ordering: .relaxed) }

    func noteFollower() {
        followed.store(true, ordering: .relaxed)
    }

    /// The stored value of a key without a slot.
    @usableFromInline
    func undeclaredValue(forKey text: String) -> SettingValue? {
        guard SettingKey.isPlain(text) else { return undeclaredValue(at: SettingKey(stored: text)) }
        lock.lock()
        defer { lock.unlock() }
        return slots.isEmpty || !concerns(text) ? tree.root[text] : nil
    }

    @inline(never)
    private func concerns(_ text: String) -> Bool {
        slots.concerns(SettingKey(plain: text))
    }

    @inline(never)
    private func undeclaredValue(at key: SettingKey) -> SettingValue? {
        lock.lock()
        defer { lock.unlock() }
        if !slots.isEmpty, slots.concerns(key) { return nil }
        let place = resolved(key)
        return slots.concerns(place) ? nil : tree[place]
    }

    // MARK: Publishing, under the lock

    /// Values are about to be replaced.
    func beginInstalling() {
        sequence.store(sequence.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    }

    /// All values of the transaction have been replaced.
    func endInstalling() {
        sequence.store(sequence.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    }

    /// Publishes a transaction of one local write of a word. Takes the lock itself, and is never inlined, so that the
    /// path of nearly all writes counts no references.
    @inline(never)
    func publish(_ new: UInt64, in box: AnySettingBox, at slot: SettingSlot, old: UInt64, time: Double)
        -> PendingWakeUps
    {
        lock.lock()
        beginInstalling()
        box.install(word: new)
        endInstalling()
        let dropped = ring.append(slot, old: old, new: new, time: time)
        var wakeUps = noteLocal(slot, node: box.node, time: time)
        wakeUps.dropped = dropped
        lock.unlock()
        return wakeUps
    }

    /// Records a transaction of one local write that the caller has installed.
    func record(_ slot: SettingSlot, node: ObservationNode, details: LogDetails, time: Double) -> PendingWakeUps {
        let dropped = ring.append(details, time: time)
        var wakeUps = noteLocal(slot, node: node, time: time)
        wakeUps.dropped = dropped
        return wakeUps
    }

    private func noteLocal(_ slot: SettingSlot, node: ObservationNode, time: Double) -> PendingWakeUps {
        slot.isStored = true
        slot.origin = .local
        slot.touch(ring.newest, isPersistent: slot.schedule != nil, pending: &work.topics)
        notify(node, of: slot)
        let wakesPersister = markDirty(slot, time: time)
        return wakeUps(wakesPersister: wakesPersister)
    }

    /// Installs the staged values of a transaction of several mutations, and records it. A single pass, because in a
    /// large transaction the settings lie far apart in memory. Under the lock.
    ///
    /// - Parameters:
    ///   - written: The settings of the mutations.
    ///   - stored: The settings whose new values the storage has already.
    ///   - installed: Receives the staged values, to be released by the caller.
    func record(
        _ details: LogDetails, of written: [(box: AnySettingBox, slot: SettingSlot)],
        storedAlready stored: Set<ObjectIdentifier>, time: Double, installed: inout [AnyStagedValue]
    ) -> PendingWakeUps {
        let dropped = ring.append(details, time: time)
        if details.origin == .external { counts.external &+= 1 }
        var wakesPersister = false
        let isPersistent = details.isPersistent
        beginInstalling()
        for (box, slot) in written {
            box.installStaged()
            if let staged = box.exchangeStaged(nil) {
                slot.isStored = staged.isStored
                installed.append(staged)
            }
            slot.origin = details.origin
            slot.touch(ring.newest, isPersistent: isPersistent, pending: &work.topics)
            if stored.isEmpty || !stored.contains(ObjectIdentifier(slot)), markDirty(slot, time: time) {
                wakesPersister = true
            }
            notify(box.node, of: slot)
        }
        endInstalling()
        if details.origin == .external, !hasWaiting { becomeDurable(ring.newest) }
        var wakeUps = wakeUps(wakesPersister: wakesPersister)
        wakeUps.dropped = dropped
        return wakeUps
    }

    /// Marks a slot as unsaved; true if the persister has to be woken for it.
    func markDirty(_ slot: SettingSlot, time: Double) -> Bool {
        guard let index = slot.schedule else {
            // A value that is written by key and never saved is nowhere else.
            slot.isDirty = slot.declaration == nil
            return false
        }
        if !slot.isDirty, let box = slot.box { noteDirty(slot, box) }
        guard schedules[index].change(at: time) else { return false }
        switch attention {
        case .awake: return false
        case .paced where !schedules[index].isImmediate: return false
        case .asleep, .paced:
            attention = .awake
            return true
        }
    }

    /// Adds a setting to those with unsaved values. Under the lock.
    func noteDirty(_ slot: SettingSlot, _ box: AnySettingBox) {
        slot.isDirty = true
        dirty.append((slot, box))
        if dirtyKeeper == nil { dirtyKeeper = keeper }
    }

    func wake(_ topic: Topic) {
        topic.wake(&work.topics)
    }

    private func notify(_ node: ObservationNode, of slot: SettingSlot) {
        guard node.isTracked, !slot.isNotifying else { return }
        slot.isNotifying = true
        work.observers.append((slot, node))
    }

    /// The tasks that the caller must wake once it has unlocked.
    func wakeUps(wakesPersister: Bool = false) -> PendingWakeUps {
        var wakeUps = PendingWakeUps(wakesPersister: wakesPersister)
        if !work.topics.isEmpty { wakeUps.broadcaster = claimBroadcaster() }
        if !work.observers.isEmpty { wakeUps.notifier = Self.claim(&notifier) }
        return wakeUps
    }

    /// The writer wakes a lone subscriber itself. That costs it no more than waking the broadcaster, and spares the
    /// subscriber the detour through a second sleeping thread.
    private func claimBroadcaster() -> PendingWakeUps.Wake {
        if case .running = broadcaster { return .none }
        if let lone = takeLoneWaiter() { return .resume(lone) }
        return Self.claim(&broadcaster)
    }

    static func claim(_ state: inout DrainState) -> PendingWakeUps.Wake {
        switch state {
        case .running:
            return .none
        case .absent:
            state = .running
            return .start
        case .parked(let continuation):
            state = .running
            return .resume(continuation)
        }
    }

    private func takeLoneWaiter() -> UnsafeContinuation<Void, Never>? {
        guard work.topics.count == 1, let waiters = work.topics[0].waiters, waiters.hasOnlyOne else { return nil }
        work.topics[0].isPending = false
        work.topics.removeLast()
        return waiters.popFirst()
    }
}

extension MutationLog: CustomReflectable {
    @usableFromInline
    package var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

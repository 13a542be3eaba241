import Synchronization

/// The lock under which a store publishes, and the state that it guards: the changes, the unsaved ones among them, and
/// the stored values. This file has the code that concerns more than one of these.
///
/// The lock is held only for a few stores to memory at a time, and never while foreign code runs: no subscriber,
/// observer, continuation, rule, coder or storage. So the guarded state needs no run-time check for exclusive access.
@usableFromInline
package final class MutationLog: @unchecked Sendable {
    // Sendable: everything but constants and atomics is guarded by `lock`.
    @usableFromInline let lock = Lock()
    @exclusivity(unchecked) var changes: ChangeLog
    @exclusivity(unchecked) var unsaved: UnsavedChanges
    @exclusivity(unchecked) var stored: StoredValues
    @exclusivity(unchecked) var unconfirmed: UnconfirmedState
    /// The newest transactions of the storage's history, for all its followers. Filled as long as there is a follower.
    @exclusivity(unchecked) var feed: RecordRing<HistoryFeedEntry>
    /// How often followers that could not read the history may have tried.
    @exclusivity(unchecked) var historyAttempts = 0
    /// Rises whenever the followers of the history are woken.
    @exclusivity(unchecked) var historyVersion: UInt64 = 0

    package let root = Topic(parent: nil)
    /// Marked when more transactions have become durable.
    let durability = Topic(parent: nil)
    /// Woken when the storage's history has grown.
    let history = Topic(parent: nil)
    /// Never marked: waiting on it means waiting for the end.
    let lifetime = Topic(parent: nil)
    /// The maximum memory that the values of the kept transactions may take, in bytes.
    let costLimit: Int
    /// Whether the store records what its commits read.
    let recordsReads: Bool

    /// Odd while values are being replaced, so that a reader of several values can detect whether it saw a single
    /// state.
    let sequence = Atomic<UInt64>(0)
    /// Whether changes were ever asked for; their times matter only then.
    private let followed = Atomic<Bool>(false)
    /// The number of followers of the storage's history.
    private let historyFollowers = Atomic<Int>(0)
    /// The number of sequences being iterated; see ``Waiter``.
    let subscribers = Atomic<Int>(0)

    /// - Parameter unconfirmed: The stored record of a commit that is not confirmed.
    init(
        logLimit: Int, logCostLimit: Int, stored tree: SettingTree = SettingTree(),
        unconfirmed: SettingValue? = nil, recordsReads: Bool = false
    ) {
        self.recordsReads = recordsReads
        self.unconfirmed = UnconfirmedState(unconfirmed)
        costLimit = logCostLimit
        let ring = MutationRing(capacity: logLimit, costLimit: logCostLimit)
        changes = ChangeLog(ring, root: root, durability: durability)
        feed = RecordRing(limit: max(1, logLimit))
        unsaved = UnsavedChanges()
        stored = StoredValues(tree)
    }

    var isFollowed: Bool { followed.load(ordering: .relaxed) }

    /// Whether anybody follows the storage's history.
    var isHistoryFollowed: Bool { historyFollowers.load(ordering: .relaxed) > 0 }

    func beginFollowingHistory() { historyFollowers.add(1, ordering: .relaxed) }

    func endFollowingHistory() { historyFollowers.subtract(1, ordering: .relaxed) }

    /// Makes the times of changes matter from now on.
    func beginFollowing() {
        followed.store(true, ordering: .relaxed)
    }

    /// The stored value of a key without a slot; `nil` also where reads are recorded, which is done elsewhere.
    @usableFromInline
    func undeclaredValue(forKey text: String) -> SettingValue? {
        guard !recordsReads else { return nil }
        guard SettingKey.isPlain(text) else { return undeclaredValue(at: SettingKey(stored: text)) }
        lock.lock()
        defer { lock.unlock() }
        // The fast path uses the parts of `stored` where they are. For a function of the whole, it would be copied.
        guard stored.slots.isEmpty, stored.domains.isWithoutValues else { return undeclaredValue(named: text) }
        return stored.tree.root[text]
    }

    @inline(never)
    private func undeclaredValue(at key: SettingKey) -> SettingValue? {
        lock.withLock { stored.undeclaredValue(at: key) }
    }

    /// Requires the lock.
    @inline(never)
    private func undeclaredValue(named name: String) -> SettingValue? {
        stored.undeclaredValue(at: SettingKey(plain: name))
    }

    /// Reads several values of one state, with its revision. Takes the lock for long only if transactions come too
    /// fast.
    ///
    /// - Parameter read: May be executed again. It must run no foreign code.
    func readState<Result>(_ read: () -> Result) -> (revision: UInt64, Result) {
        for _ in 0..<4 {
            let before = sequence.load(ordering: .acquiring)
            guard before.isMultiple(of: 2) else { continue }
            let result = read()
            let revision = lock.withLock { sequence.load(ordering: .relaxed) == before ? changes.revision : nil }
            if let revision { return (revision, result) }
        }
        return lock.withLock { (changes.revision, read()) }
    }

    /// A number that rises whenever a read by key may find something else, in the same step. Requires the lock.
    ///
    /// Each part only rises, so the sum is the same only if all of them are.
    var readVersion: UInt64 { sequence.load(ordering: .relaxed) &+ stored.version &+ changes.arrivals }

    // MARK: Publishing, under the lock

    /// Records that values are about to be replaced.
    func beginInstalling() {
        sequence.store(sequence.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    }

    /// Records that all values of the transaction have been replaced.
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
        let dropped = changes.ring.append(slot, old: old, new: new, time: time)
        if slot.schedule == nil { changes.unappendedCount &+= 1 }
        var wakeUps = recordLocal(slot, node: box.node, time: time)
        wakeUps.dropped = dropped
        lock.unlock()
        return wakeUps
    }

    /// Records a transaction of one local write that the caller has installed.
    func record(_ slot: SettingSlot, node: ObservationNode, details: LogDetails, time: Double) -> PendingWakeUps {
        let dropped = changes.append(details, time: time)
        var wakeUps = recordLocal(slot, node: node, time: time)
        wakeUps.dropped = dropped
        return wakeUps
    }

    private func recordLocal(_ slot: SettingSlot, node: ObservationNode, time: Double) -> PendingWakeUps {
        slot.isStored = true
        slot.origin = .local
        changes.touch(slot, node, isPersistent: slot.schedule != nil)
        let wakesPersister = unsaved.markDirty(slot, time: time)
        return changes.waking.wakeUps(wakesPersister: wakesPersister)
    }

    /// Makes a transaction of several mutations visible, in one step. Requires the lock.
    ///
    /// - Parameters:
    ///   - details: The transaction; `nil` if it has changed neither a value in force nor one of the application's.
    ///   - installed: Receives the staged and held values, to be released by the caller.
    func publish(
        _ plan: TransactionPlan, _ details: LogDetails?, time: Double, installed: inout [any AnyObject & Sendable]
    ) -> PendingWakeUps {
        var wakesPersister = false
        for removed in plan.removed where remove(removed, time: time) { wakesPersister = true }
        if plan.hasOverlaps {
            for slot in plan.replaced { stored.slots.remove(slot) }
            unsaved.overlap(replacing: plan.replaced)
        }
        var wakeUps =
            plan.written.isEmpty
            ? PendingWakeUps() : record(details, of: plan.written, time: time, installed: &installed)
        if wakesPersister { wakeUps.wakesPersister = true }
        return wakeUps
    }

    /// - Returns: Whether the persister has to be woken to remove the value.
    private func remove(_ removed: RemovedSetting, time: Double) -> Bool {
        let slot = removed.slot
        slot.box?.unknownFields?.replace(with: nil)
        // Without these fields, the setting may have another stored form, even if its value is the same.
        stored.version &+= 1
        let isAnywhere =
            slot.isStored || slot.declaration == nil || stored.tree[slot.key] != nil
            || !stored.storedSpellings(of: slot).isEmpty
        guard isAnywhere else { return false }
        // Even if the value is the same, or differs from the stored one: it must no longer be stored.
        slot.isStored = false
        return removed.isSaved && unsaved.markDirty(slot, time: time)
    }

    /// Installs the staged values of a transaction of several mutations, and records it. A single pass, because in a
    /// large transaction the settings lie far apart in memory. Requires the lock.
    ///
    /// - Parameters:
    ///   - details: The transaction; `nil` if it has changed neither a value in force nor one of the application's.
    ///   - written: The settings with staged values to install.
    ///   - installed: Receives the staged and held values, to be released by the caller.
    private func record(
        _ details: LogDetails?, of written: [WrittenSetting], time: Double, installed: inout [any AnyObject & Sendable]
    ) -> PendingWakeUps {
        let dropped = details.map { changes.append($0, time: time) }
        var wakesPersister = false
        let isPersistent = details?.isPersistent == true
        beginInstalling()
        for setting in written {
            let (box, slot) = (setting.box, setting.slot)
            if let held = box.installStaged(isEvent: setting.isEvent) { installed.append(held) }
            if let staged = box.exchangeStaged(nil) {
                slot.isStored = staged.isStored
                installed.append(staged)
            }
            if setting.changesOwn, let details { slot.origin = details.origin }
            if setting.isEvent {
                changes.touch(slot, box.ownNode, isPersistent: isPersistent)
            } else if setting.changesOwn, box.held?.domain.isAbove == true {
                changes.notify(slot, box.ownNode)
            }
            guard setting.isSaved else { continue }
            if box.savesEqual { box.markSavesEqual(false) }
            if unsaved.markDirty(slot, time: time) { wakesPersister = true }
        }
        endInstalling()
        if let details { changes.touchCovered(by: details) }
        if details?.isFromOutside == true, !unsaved.hasWaiting { changes.becomeDurable(changes.revision) }
        var wakeUps = changes.waking.wakeUps(wakesPersister: wakesPersister)
        if let dropped { wakeUps.dropped = dropped }
        return wakeUps
    }

    // MARK: Ending

    /// Ends all streams: wakes every subscriber, which then finds the log finished.
    func finish() -> PendingWakeUps {
        lock.withLock {
            changes.wakeGroups()
            changes.waking.add(lifetime)
            changes.waking.add(history)
            for slot in stored.slots.all { changes.waking.add(slot) }
            return changes.waking.finish()
        }
    }

    /// Removes declared settings at and within a key, or all for `nil`, from the index. Ends their streams and those of
    /// their groups. Requires the lock.
    func release(_ settings: [SettingSlot], at key: SettingKey?) -> PendingWakeUps {
        let declared = settings.map { (slot: $0, declaredKey: stored.slots.declaredKey(of: $0)) }
        // The caller holds the boxes, so that none is released under the lock.
        for slot in settings { _ = stored.remove(slot) }
        changes.finish(declared, upTo: key)
        // Those who follow the history of a group wait for that of the store.
        changes.waking.add(history)
        return changes.waking.wakeUps()
    }
}

extension MutationLog: CustomReflectable {
    @usableFromInline
    package var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

public import Synchronization

/// What a store has published: its revisions, its newest transactions, who waits for more and what is not saved yet.
///
/// Everything but `lock` and `sequence` is guarded by `lock`, which is held for a few stores at a time and never while
/// foreign code runs: no subscriber, observer, continuation, rule, coder or storage.
@usableFromInline
package final class MutationLog: @unchecked Sendable {
    // Sendable: see above.
    @usableFromInline let lock = Lock()
    /// Odd while values are being replaced, so that a reader of several values can tell whether it saw one moment.
    @usableFromInline let sequence = Atomic<UInt64>(0)

    // Changes
    package let root = Channel(parent: nil)
    /// The channels of groups, by path.
    var channels: [String: Channel] = [:]
    /// Touched when more has become durable.
    let durability = Channel(parent: nil)
    /// Never touched: who waits here waits for the end.
    let lifetime = Channel(parent: nil)
    var ring: MutationRing
    var durableRevision: UInt64 = 0
    var work = BroadcastWork()
    var isFinished = false
    var broadcaster = BroadcasterState.absent

    // Values
    var slots: [String: SettingSlot] = [:]
    /// The values as they are stored, or were when they were last taken for saving.
    var tree = SettingTree()

    // Saving
    var dirty: [(slot: SettingSlot, box: AnySettingBox)] = []
    var saveState = SaveState.idle
    var schedules: [ScheduledSave] = []

    enum BroadcasterState {
        /// Nobody has ever waited for a change.
        case absent
        case running
        case parked(UnsafeContinuation<Void, Never>)
    }

    init(historyLimit: Int, historyCostLimit: Int) {
        ring = MutationRing(capacity: historyLimit, costLimit: historyCostLimit)
    }

    package var revision: UInt64 { ring.newest }

    // MARK: Publishing, under the lock

    /// Values are about to be replaced.
    @usableFromInline
    func beginInstalling() {
        sequence.store(sequence.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    }

    /// All values of the transaction have been replaced.
    @usableFromInline
    func endInstalling() {
        sequence.store(sequence.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    }

    /// Records a transaction of one mutation, whose value the caller has installed or installs before it unlocks.
    @usableFromInline
    func record(
        _ slot: SettingSlot, node: ObservationNode, old: any Sendable, new: any Sendable, cost: Int, time: Double
    ) -> Signals {
        let revision = ring.newest &+ 1
        ring.append(
            LogEntry(
                first: LoggedMutation(slot: slot, old: old, new: new), others: [], time: time, origin: .local,
                writer: nil, cost: cost))
        slot.isStored = true
        slot.origin = .local
        touch(slot, revision: revision)
        notify(node, of: slot)
        let wakesPersister = markDirty(slot, time: time)
        return Signals(broadcaster: claimBroadcaster(), wakesPersister: wakesPersister)
    }

    /// Records a transaction of several mutations, whose values the caller has installed.
    func record(_ entry: LogEntry, nodes: [(SettingSlot, ObservationNode)]) -> Signals {
        let revision = ring.newest &+ 1
        ring.append(entry)
        var wakesPersister = false
        func note(_ mutation: LoggedMutation) {
            mutation.slot.origin = entry.origin
            touch(mutation.slot, revision: revision)
            // What comes from the storage is there already.
            guard entry.origin != .external else { return }
            if markDirty(mutation.slot, time: entry.time) { wakesPersister = true }
        }
        note(entry.first)
        entry.others.forEach(note)
        for (slot, node) in nodes { notify(node, of: slot) }
        return Signals(broadcaster: claimBroadcaster(), wakesPersister: wakesPersister)
    }

    /// Notes that a slot has something to save; true if the persister has to be woken for it.
    func markDirty(_ slot: SettingSlot, time: Double) -> Bool {
        guard let index = slot.schedule else { return false }
        // The list keeps the box alive until its value has been taken. Whoever writes has the box, so it is there.
        if !slot.isDirty, let box = slot.box {
            slot.isDirty = true
            dirty.append((slot, box))
        }
        return schedules[index].change(at: time)
    }

    private func touch(_ slot: SettingSlot, revision: UInt64) {
        var next: Channel? = slot
        // A channel that this transaction has touched already has passed it on to its parents.
        while let channel = next, channel.lastRevision != revision {
            channel.lastRevision = revision
            channel.changeCount &+= 1
            wake(channel)
            next = channel.parent
        }
    }

    func wake(_ channel: Channel) {
        guard let waiters = channel.waiters, !waiters.isEmpty, !channel.isPending else { return }
        channel.isPending = true
        work.channels.append(channel)
    }

    private func notify(_ node: ObservationNode, of slot: SettingSlot) {
        guard node.isTracked, !slot.isNotifying else { return }
        slot.isNotifying = true
        work.observers.append((slot, node))
    }

    /// What the caller must do for the broadcaster once it has unlocked.
    func claimBroadcaster() -> Signals.Broadcaster {
        guard !work.isEmpty else { return .none }
        switch broadcaster {
        case .running: return .none
        case .absent:
            broadcaster = .running
            return .start
        case .parked(let continuation):
            broadcaster = .running
            return .resume(continuation)
        }
    }
}

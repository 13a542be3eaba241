/// The newest transactions of a store, bounded in number and in memory, addressed by revision.
///
/// Most transactions are one local write of a value that fits into a word. They are stored as plain memory, without
/// reference counts or allocations; the others have an object with their details. Not thread-safe: the owner guards it.
struct MutationRing: ~Copyable {
    /// The revision of the oldest entry; entries run from it to `newest`.
    private(set) var oldest: UInt64 = 1
    private(set) var newest: UInt64 = 0
    private var slots: UnsafeMutablePointer<Slot>
    private var mask: UInt64
    /// The memory that the details take, in bytes.
    private var cost = 0
    /// The maximum number of entries; a power of two.
    private let capacity: Int
    /// The maximum memory that the details may take, in bytes.
    private let costLimit: Int

    /// The largest capacity; a larger one is reduced to it.
    static let largestCapacity = 1 << 20

    /// One transaction. `setting` is kept alive by the log, `details` by the entry.
    private struct Slot {
        var setting: Unmanaged<SettingSlot>
        var oldWord: UInt64
        var newWord: UInt64
        var time: Double
        var details: Unmanaged<LogDetails>?
    }

    init(capacity: Int, costLimit: Int) {
        let wanted = min(capacity, Self.largestCapacity)
        var rounded = 1
        while rounded < wanted { rounded <<= 1 }
        self.capacity = rounded
        self.costLimit = costLimit
        let initial = min(rounded, 16)
        slots = .allocate(capacity: initial)
        mask = UInt64(initial - 1)
    }

    deinit {
        var revision = oldest
        while revision <= newest {
            slots[Int(truncatingIfNeeded: revision & mask)].details?.release()
            revision &+= 1
        }
        slots.deallocate()
    }

    /// Adds a local write of a word as the next revision.
    ///
    /// - Returns: The entries that left the ring to make room, for the caller to release.
    mutating func append(_ setting: SettingSlot, old: UInt64, new: UInt64, time: Double) -> DroppedEntries {
        append(Slot(setting: .passUnretained(setting), oldWord: old, newWord: new, time: time, details: nil))
    }

    /// Adds any transaction as the next revision.
    ///
    /// - Returns: The entries that left the ring to make room, for the caller to release.
    mutating func append(_ details: LogDetails, time: Double) -> DroppedEntries {
        cost &+= details.cost
        var dropped = append(
            Slot(
                setting: .passUnretained(details.mutations[0].slot), oldWord: 0, newWord: 0, time: time,
                details: .passRetained(details)))
        while cost > costLimit, oldest < newest { dropOldest(into: &dropped) }
        return dropped
    }

    /// Recalculates the cost of some transactions, now that the sizes of their values are known.
    ///
    /// - Returns: The entries that left the ring to make room, for the caller to release.
    mutating func measure(_ revisions: ClosedRange<UInt64>) -> DroppedEntries {
        var dropped = DroppedEntries()
        var revision = max(revisions.lowerBound, oldest)
        while revision <= min(revisions.upperBound, newest) {
            measure(at: Int(truncatingIfNeeded: revision & mask), into: &dropped)
            revision &+= 1
        }
        while cost > costLimit, oldest < newest { dropOldest(into: &dropped) }
        return dropped
    }

    private mutating func measure(at index: Int, into dropped: inout DroppedEntries) {
        guard let details = slots[index].details else { return }
        cost &-= details._withUnsafeGuaranteedRef { $0.cost }
        let measured = details._withUnsafeGuaranteedRef { details in
            details.measure()
            return details.cost
        }
        if measured > costLimit {
            // As if the size of the values had been known when the transaction was added.
            slots[index].details = .passRetained(details._withUnsafeGuaranteedRef { $0.withoutValues() })
            dropped.add(details)
        } else {
            cost &+= measured
        }
    }

    /// A transaction, if it is still kept.
    subscript(revision: UInt64) -> LogEntry? {
        guard revision >= oldest, revision <= newest else { return nil }
        let slot = slots[Int(truncatingIfNeeded: revision & mask)]
        if let details = slot.details {
            return LogEntry(details: details.takeUnretainedValue(), time: slot.time)
        }
        let setting = slot.setting.takeUnretainedValue()
        let mutation = LoggedMutation(
            slot: setting, old: setting.value(ofWord: slot.oldWord), new: setting.value(ofWord: slot.newWord))
        return LogEntry(details: LogDetails([mutation], origin: .local, author: nil, cost: 0), time: slot.time)
    }

    /// Returns the details of a transaction that was more than one local write of a word.
    func details(_ revision: UInt64) -> LogDetails? {
        guard revision >= oldest, revision <= newest else { return nil }
        return slots[Int(truncatingIfNeeded: revision & mask)].details?.takeUnretainedValue()
    }

    /// Returns whether a kept transaction has marked a topic.
    func concerns(_ revision: UInt64, _ topic: Topic) -> Bool {
        // The fast path: nearly always the revision is the last one that marked the topic.
        if topic.lastRevision <= revision { return topic.lastRevision == revision }
        let slot = slots[Int(truncatingIfNeeded: revision & mask)]
        if let details = slot.details {
            return details._withUnsafeGuaranteedRef { $0.touches(topic) }
        }
        return slot.setting._withUnsafeGuaranteedRef { $0.isWithin(topic) }
    }

    /// Returns whether a kept transaction will ever be on stable storage.
    func isPersistent(_ revision: UInt64) -> Bool {
        let slot = slots[Int(truncatingIfNeeded: revision & mask)]
        if let details = slot.details { return details._withUnsafeGuaranteedRef { $0.isPersistent } }
        return slot.setting._withUnsafeGuaranteedRef { $0.schedule != nil }
    }

    /// Returns whether the store has something to append for a kept transaction.
    func isOwn(_ revision: UInt64) -> Bool {
        guard revision >= oldest, revision <= newest else { return false }
        return details(revision)?.isOwn ?? isPersistent(revision)
    }

    // Inlined, so that the slot is built where it stays. Passed through memory, its words are stored one by one and
    // then loaded in pairs, which the processor has to wait for.
    @inline(__always)
    private mutating func append(_ slot: Slot) -> DroppedEntries {
        var dropped = DroppedEntries()
        if newest &- oldest &+ 1 > mask {
            if mask &+ 1 < UInt64(capacity) { grow() } else { dropOldest(into: &dropped) }
        }
        newest &+= 1
        slots[Int(truncatingIfNeeded: newest & mask)] = slot
        return dropped
    }

    private mutating func dropOldest(into dropped: inout DroppedEntries) {
        if let details = slots[Int(truncatingIfNeeded: oldest & mask)].details {
            cost &-= details._withUnsafeGuaranteedRef { $0.cost }
            dropped.add(details)
        }
        oldest &+= 1
    }

    private mutating func grow() {
        let size = Int(mask &+ 1) * 2
        let larger = UnsafeMutablePointer<Slot>.allocate(capacity: size)
        let newMask = UInt64(size - 1)
        var revision = oldest
        while revision <= newest {
            larger[Int(truncatingIfNeeded: revision & newMask)] = slots[Int(truncatingIfNeeded: revision & mask)]
            revision &+= 1
        }
        slots.deallocate()
        slots = larger
        mask = newMask
    }
}

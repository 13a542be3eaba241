/// One mutation as the log keeps it.
struct LoggedMutation {
    var slot: SettingSlot
    var old: any Sendable
    var new: any Sendable
}

/// One transaction as the log keeps it.
struct LogEntry {
    var first: LoggedMutation
    var others: [LoggedMutation]
    /// Wall time, in seconds since the reference date.
    var time: Double
    var origin: Origin
    var writer: String?
    /// An estimate of the memory that the values take, in bytes.
    var cost: Int

    /// Whether the transaction will ever be on stable storage.
    var isPersistent: Bool {
        first.slot.schedule != nil || others.contains { $0.slot.schedule != nil }
    }

    func mutations(within channel: Channel) -> [Mutation] {
        var result: [Mutation] = []
        result.reserveCapacity(others.count + 1)
        if first.slot.isWithin(channel) { result.append(Mutation(first)) }
        for other in others where other.slot.isWithin(channel) { result.append(Mutation(other)) }
        return result
    }

    func concerns(_ channel: Channel) -> Bool {
        first.slot.isWithin(channel) || others.contains { $0.slot.isWithin(channel) }
    }
}

extension Mutation {
    init(_ logged: LoggedMutation) {
        self.init(key: logged.slot.key, oldValue: logged.old, newValue: logged.new)
    }
}

/// The newest transactions of a store, bounded in number and in memory.
///
/// A pure value: whoever has one decides who may touch it. Entries are addressed by revision.
struct MutationRing {
    private var entries: [LogEntry?] = []
    private var mask = -1
    /// The revision of the oldest entry; entries run from it to `newest`.
    private(set) var oldest: UInt64 = 1
    private(set) var newest: UInt64 = 0
    private var cost = 0

    /// The most entries kept; a power of two.
    let capacity: Int
    /// The most memory that the kept values may take, in bytes; the newest entry is kept whatever it costs.
    let costLimit: Int

    init(capacity: Int, costLimit: Int) {
        var rounded = 1
        while rounded < capacity { rounded <<= 1 }
        self.capacity = rounded
        self.costLimit = costLimit
    }

    var count: Int { Int(newest &- oldest &+ 1) }

    /// Adds the entry of the next revision, and drops the oldest ones beyond the bounds.
    mutating func append(_ entry: LogEntry) {
        if count > mask {
            if entries.count < capacity { grow() } else { dropOldest() }
        }
        newest &+= 1
        entries[Int(truncatingIfNeeded: newest) & mask] = entry
        cost &+= entry.cost
        while cost > costLimit, oldest < newest { dropOldest() }
    }

    subscript(revision: UInt64) -> LogEntry? {
        guard revision >= oldest, revision <= newest else { return nil }
        return entries[Int(truncatingIfNeeded: revision) & mask]
    }

    private mutating func dropOldest() {
        let index = Int(truncatingIfNeeded: oldest) & mask
        cost &-= entries[index]?.cost ?? 0
        entries[index] = nil
        oldest &+= 1
    }

    private mutating func grow() {
        let size = max(16, entries.count * 2)
        var larger = [LogEntry?](repeating: nil, count: min(size, capacity))
        let newMask = larger.count - 1
        var revision = oldest
        while revision <= newest {
            larger[Int(truncatingIfNeeded: revision) & newMask] = entries[Int(truncatingIfNeeded: revision) & mask]
            revision &+= 1
        }
        entries = larger
        mask = newMask
    }
}

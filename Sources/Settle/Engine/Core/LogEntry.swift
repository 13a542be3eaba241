/// The values that a subscriber follows.
enum ChangeView: Sendable {
    /// The values in force.
    case effective
    /// The values of the application's domain, whether others cover them or not.
    case application
}

/// One mutation of the log.
struct LoggedMutation: Sendable {
    let slot: SettingSlot
    let old: any Sendable
    let new: any Sendable
    var scope = Scope.both
    /// The domain that has the value now, if it is another one than the application's.
    var domain: DomainIdentity?
    /// Whether the application's value is no longer stored.
    var isRemoval = false

    /// The values that a mutation has changed.
    enum Scope: UInt8, Sendable {
        /// The application's value, which is in force.
        case both
        /// The value in force only: another domain has changed.
        case effective
        /// The application's value only: another domain covers it.
        case application
    }

    init(slot: SettingSlot, old: any Sendable, new: any Sendable) {
        self.slot = slot
        self.old = old
        self.new = new
    }

    /// Creates the mutation of the value in force.
    ///
    /// - Returns: `nil` if nothing has changed.
    init?(inForce mutation: StagedMutation, of box: AnySettingBox, in slot: SettingSlot) {
        guard !mutation.isEqual else { return nil }
        self.init(slot: slot, old: mutation.old, new: mutation.new)
        domain = box.staged?.held?.domain
        isRemoval = !mutation.isStored
        if let own = mutation.own, own.isEqual || box.isHeldBeforeOrAfter { scope = .effective }
    }

    /// Creates the mutation of the application's domain.
    ///
    /// - Returns: `nil` if nothing has changed, or if the change in force is the same.
    init?(own mutation: StagedMutation, of box: AnySettingBox, in slot: SettingSlot) {
        guard let own = mutation.own, !own.isEqual, mutation.isEqual || box.isHeldBeforeOrAfter else { return nil }
        self.init(slot: slot, old: own.old ?? box.erasedDefault, new: own.new ?? box.erasedDefault)
        scope = .application
        isRemoval = !mutation.isStored
        if let held = box.staged?.held, held.domain.isAbove { domain = held.domain }
    }

    /// The same without its values.
    var withoutValues: LoggedMutation {
        var mutation = LoggedMutation(slot: slot, old: (), new: ())
        (mutation.scope, mutation.domain, mutation.isRemoval) = (scope, domain, isRemoval)
        return mutation
    }

    /// Returns whether subscribers of a view have to know of it.
    func concerns(_ view: ChangeView) -> Bool {
        scope == .both || scope == (view == .effective ? .effective : .application)
    }
}

/// The log's details of a transaction that is more than one local write of a word.
final class LogDetails: @unchecked Sendable {
    // Sendable: everything is constant except `cost`, guarded by the log's lock; `index`, which has a lock of its own;
    // and `nextDropped`, touched only by the thread that has dropped the entry.

    /// Never empty. The values are left out if they exceed the memory limit of the whole log; see `hasValues`.
    let mutations: [LoggedMutation]
    let origin: ValueOrigin
    let author: String?
    /// The domain that has changed, if it is another one than the application's.
    let domain: DomainIdentity?
    /// Its other properties beside the writes.
    let note: TransactionNote
    /// An estimate of the memory that the values take, in bytes.
    private(set) var cost: Int
    /// The part of it that is known from the values' types; the rest is known once values have been stored.
    private let fixedCost: Int
    /// Whether the transaction will ever be on stable storage.
    let isPersistent: Bool
    /// Whether the values are kept. Subscribers get a transaction without values reported as missed.
    let hasValues: Bool
    /// Finds the mutations within a topic; `nil` if there are so few that a scan costs less.
    private let index: LockedValue<MutationIndex?>?
    /// The next transaction that has left the log at the same time; see ``DroppedEntries``.
    fileprivate var nextDropped: Unmanaged<LogDetails>?

    private static let indexedCount = 16

    /// - Parameters:
    ///   - cost: The memory that the values take, in bytes.
    ///   - fixedCost: The part of it that will not change.
    ///   - limit: The cost from which on the values are not kept.
    init(
        _ mutations: [LoggedMutation], origin: ValueOrigin, author: String?, domain: DomainIdentity? = nil,
        note: TransactionNote = TransactionNote(),
        cost: Int, fixedCost: Int = 0, limit: Int = .max
    ) {
        hasValues = cost <= limit
        self.mutations = hasValues ? mutations : mutations.map(\.withoutValues)
        self.origin = origin
        self.author = author
        self.domain = domain
        self.note = note
        self.cost = hasValues ? cost : 0
        self.fixedCost = hasValues ? fixedCost : 0
        isPersistent = mutations.contains { $0.slot.schedule != nil }
        index = mutations.count > Self.indexedCount ? LockedValue(nil) : nil
    }

    /// Whether nothing of it has to be saved.
    var isFromOutside: Bool { origin == .external || domain != nil }

    /// Whether the store has something to append for it.
    var isOwn: Bool { isPersistent && !isFromOutside && origin != .migration }

    /// The keys that are saved.
    var savedKeys: [SettingKey] { mutations.compactMap { $0.slot.schedule == nil ? nil : $0.slot.key } }

    /// Updates the cost with the values' sizes that are known by now. Requires the log's lock.
    func measure() {
        guard hasValues else { return }
        cost = max(cost, mutations.reduce(fixedCost) { $0 &+ $1.slot.measuredSize })
    }

    /// The same transaction without its values.
    func withoutValues() -> LogDetails {
        LogDetails(mutations, origin: origin, author: author, domain: domain, note: note, cost: 1, limit: 0)
    }

    /// Returns whether the transaction has marked a topic.
    func touches(_ topic: Topic) -> Bool {
        if topic.hasEveryTransaction { return true }
        guard let index else { return mutations.contains { $0.concerns(.effective) && $0.slot.isWithin(topic) } }
        return index.withLock { built(&$0).contains(topic) }
    }

    /// Returns whether anything has changed for the subscribers of a view.
    func concerns(_ view: ChangeView) -> Bool {
        mutations.contains { $0.concerns(view) }
    }

    /// Returns the mutations within a topic, in order.
    func mutations(within topic: Topic, of view: ChangeView) -> [LoggedMutation] {
        guard let index, view == .effective else {
            return mutations.filter { $0.concerns(view) && $0.slot.isWithin(topic) }
        }
        return index.withLock { built(&$0).positions(within: topic) }.map { mutations[$0] }
    }

    /// Returns the index, built for the first subscriber that asks, so that it costs the writer nothing.
    private func built(_ index: inout MutationIndex?) -> MutationIndex {
        if let index { return index }
        let new = MutationIndex(of: mutations)
        index = new
        return new
    }
}

/// Maps settings and groups to their mutations in a large transaction, so that its many subscribers need not scan them
/// all.
struct MutationIndex: Sendable {
    /// One per mutation and topic around it. The links of a topic are chained in the order of the mutations.
    private struct Link {
        let position: Int32
        let next: Int32
    }

    private var first: [ObjectIdentifier: Int32] = [:]
    private var links: [Link] = []

    init(of mutations: [LoggedMutation]) {
        first.reserveCapacity(mutations.count)
        links.reserveCapacity(mutations.count * 3)
        // Backwards, because each link is put in front of its topic's chain.
        for position in mutations.indices.reversed() where mutations[position].concerns(.effective) {
            mutations[position].slot.forEachEnclosing { topic in
                links.append(Link(position: Int32(position), next: first[topic] ?? -1))
                first[topic] = Int32(links.count - 1)
            }
        }
    }

    func contains(_ topic: Topic) -> Bool {
        first[ObjectIdentifier(topic)] != nil
    }

    func positions(within topic: Topic) -> [Int] {
        var positions: [Int] = []
        var next = first[ObjectIdentifier(topic)] ?? -1
        while next >= 0 {
            let link = links[Int(next)]
            positions.append(Int(link.position))
            next = link.next
        }
        return positions
    }
}

/// Transactions that have left the log, with their values.
///
/// Releasing a value may run foreign code, so a thread that holds the log's lock collects the entries and releases them
/// once it holds no lock. They are chained, so that dropping allocates nothing.
struct DroppedEntries: Sendable {
    private var first: Unmanaged<LogDetails>?

    @inline(__always) var isEmpty: Bool { first == nil }

    mutating func add(_ details: Unmanaged<LogDetails>) {
        details._withUnsafeGuaranteedRef { $0.nextDropped = first }
        first = details
    }

    /// Releases the values. Call it once, without any lock held.
    func release() {
        var next = first
        while let details = next {
            next = details._withUnsafeGuaranteedRef { $0.nextDropped }
            details.release()
        }
    }
}

/// One transaction, as read from the log.
struct LogEntry {
    let details: LogDetails
    /// Wall time, in seconds since the reference date.
    let time: Double

    /// Whether the transaction will ever be on stable storage.
    var isPersistent: Bool { details.isPersistent }
    /// See ``LogDetails/hasValues``.
    var hasValues: Bool { details.hasValues }
}

extension AnySettingBox {
    /// Whether another domain has the value in force, or had it before the transaction.
    fileprivate var isHeldBeforeOrAfter: Bool { held != nil || staged?.held != nil }
}

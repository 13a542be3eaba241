/// The changes of publishing a transaction, decided before any of them is made.
struct TransactionPlan {
    let origin: ValueOrigin
    /// Whether some of the keys lie within others that are not saved yet.
    let hasOverlaps: Bool
    /// The settings whose values change, in force or in the application's domain.
    private(set) var written: [WrittenSetting] = []
    /// The settings whose values must no longer be stored.
    private(set) var removed: [RemovedSetting] = []
    /// The settings replaced by a write of a key around them.
    private(set) var replaced: [SettingSlot] = []
    private(set) var mutations: [LoggedMutation] = []
    private var cost = 0
    /// The part of it that is known from the values' types.
    private var fixedCost = 0

    /// The outcome for a setting that the transaction has staged.
    private enum Outcome {
        case unchanged
        /// The value stays, and must no longer be stored.
        case removed
        /// A write of a key around the setting, which no group declares, has replaced it.
        case replaced
        case changed(StagedMutation)

        /// Runs `==`, which is foreign code.
        init(of box: AnySettingBox, comparing: Bool, isOutside: Bool, savesEqual: Bool) {
            if box.staged?.isReplaced == true {
                self = .replaced
            } else if let mutation = box.stagedMutation(
                comparing: comparing, isOutside: isOutside, savesEqual: savesEqual)
            {
                let isEqual = mutation.isEqual && mutation.own == nil
                self = !isEqual ? .changed(mutation) : mutation.isStored ? .unchanged : .removed
            } else {
                self = .unchanged
            }
        }
    }

    /// - Parameter comparing: False to count a value that may be equal as changed.
    init(of transaction: Transaction, comparing: Bool) {
        // An `update` or `commit` that only resets counts as a reset too.
        let isReset = transaction.origin == .local && transaction.boxes.allSatisfy { $0.staged?.isStored != true }
        origin = isReset ? .reset : transaction.origin
        hasOverlaps = transaction.hasOverlaps
        // The keys that may lie around others: those with a new value, and those that have to be saved or removed.
        var (changed, saved): (Set<SettingKey>, Set<SettingKey>) = ([], [])
        for box in transaction.orderedBoxes {
            guard let slot = box.existingPlacement?.slot else { continue }
            let parents = hasOverlaps ? slot.key.parents : []
            let isOutside = transaction.outside.contains(ObjectIdentifier(box))
            let savesEqual = transaction.putBack.contains(ObjectIdentifier(box))
            // A write around it has replaced the value, so even an equal one counts as changed.
            let isComparable = comparing && !parents.contains(where: changed.contains)
            switch Outcome(of: box, comparing: isComparable, isOutside: isOutside, savesEqual: savesEqual) {
            case .unchanged: continue
            case .replaced:
                // The write around it may have turned out to change nothing.
                if parents.contains(where: saved.contains) { replaced.append(slot) }
                continue
            case .removed: removed.append(RemovedSetting(slot: slot, isSaved: !isOutside))
            case .changed(let mutation):
                if !mutation.isStored { removed.append(RemovedSetting(slot: slot, isSaved: !isOutside)) }
                if hasOverlaps { changed.insert(slot.key) }
                add(mutation, of: box, in: slot, isOutside: isOutside)
            }
            if hasOverlaps { saved.insert(slot.key) }
        }
    }

    private mutating func add(_ mutation: StagedMutation, of box: AnySettingBox, in slot: SettingSlot, isOutside: Bool)
    {
        let changesOwn = mutation.own?.isEqual != true
        written.append(
            WrittenSetting(
                box: box, slot: slot, isEvent: !mutation.isEqual, changesOwn: changesOwn,
                isSaved: changesOwn && !isOutside))
        let count = mutations.count
        if let inForce = LoggedMutation(inForce: mutation, of: box, in: slot) { mutations.append(inForce) }
        if let own = LoggedMutation(own: mutation, of: box, in: slot) { mutations.append(own) }
        guard mutations.count > count else { return }
        cost += mutation.cost
        if !slot.isMeasured { fixedCost += mutation.cost }
    }

    /// Returns the transaction for the log; `nil` if it changes neither a value in force nor one of the application's.
    ///
    /// - Parameter limit: The cost from which on the values are not kept.
    func details(of transaction: Transaction, limit: Int) -> LogDetails? {
        guard !mutations.isEmpty else { return nil }
        return LogDetails(
            mutations, origin: origin, author: transaction.author, domain: transaction.domain,
            note: transaction.note, cost: cost, fixedCost: fixedCost, limit: limit)
    }
}

/// A setting whose staged value is to be installed.
struct WrittenSetting {
    let box: AnySettingBox
    let slot: SettingSlot
    /// Whether the value in force changes.
    let isEvent: Bool
    /// Whether the application's value changes.
    let changesOwn: Bool
    /// Whether that has to be saved. False if it comes from the storage.
    let isSaved: Bool
}

/// A setting whose value must no longer be stored.
struct RemovedSetting {
    let slot: SettingSlot
    /// Whether the storage has to remove it. False if it already has.
    let isSaved: Bool
}

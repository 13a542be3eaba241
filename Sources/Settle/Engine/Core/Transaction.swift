/// The writes of an `update` so far.
///
/// An object, because it has many parts, and publishing it looks at them in several places.
final class Transaction: @unchecked Sendable {
    // Sendable: guarded by the writer's lock of its store. After its end it only releases what it has.

    let origin: ValueOrigin
    let author: String?
    /// Whether its caller waits until it is stored.
    var isCommit = false
    /// The domain that has changed, if it is another one than the application's.
    let domain: DomainIdentity?
    /// The domain that the transaction writes instead of the application's.
    var target: DomainTarget?
    /// Its other properties beside the writes.
    var note = TransactionNote()
    /// The written settings, in the order in which they were first written.
    private(set) var boxes: [AnySettingBox] = []
    /// The number of staged values.
    private(set) var stagings = 0
    /// The settings whose staged values come from the storage, so need no saving. Foreign code that runs in the
    /// meantime may write others.
    var outside: Set<ObjectIdentifier> = []
    /// The settings whose earlier stored values are restored, and saved even if they change nothing in force.
    var putBack: Set<ObjectIdentifier> = []
    /// The keys that its closure has read, if the store records reads; `nil` for any key.
    var reads: Set<SettingKey>? = []
    /// The settings written by keys that no group declares.
    var keyed: [SettingSlot] = []
    /// Whether some of these keys lie within others that are not saved yet.
    var hasOverlaps = false
    private var known: Set<ObjectIdentifier> = []
    /// One level per nested `update`, with the state to restore if it throws.
    private var levels: [Level] = []
    /// The target as levels have found it, with the numbers of the levels around them. Not a part of each level, because
    /// few transactions have a target.
    private var earlierTargets: [(level: Int, target: DomainTarget)] = []

    struct Level {
        /// The refused assignments; they make the level throw at its end.
        fileprivate(set) var violations: [SettingsError] = []
        /// The number of further assignments that were refused.
        fileprivate(set) var furtherViolations = 0
        fileprivate(set) var undo: [(box: AnySettingBox, state: AnyStagedValue?)] = []
        /// How often other stores had been written when the level began.
        fileprivate(set) var writesElsewhere = 0
        fileprivate var known: Set<ObjectIdentifier> = []
    }

    init(origin: ValueOrigin, author: String?, domain: DomainIdentity?) {
        self.origin = origin
        self.author = author
        self.domain = domain
    }

    /// The number of keys that it writes, including the record of an unconfirmed commit.
    var keyCount: Int { boxes.count + (note.unconfirmed == nil ? 0 : 1) }

    /// The keys that it has read or written: a value that is written as it was is not stored, but counts.
    var allReads: Set<SettingKey>? { reads?.union(boxes.compactMap { $0.existingPlacement?.slot.key }) }

    var isOutermost: Bool { levels.count == 1 }
    var isEmpty: Bool { levels.isEmpty }

    /// The refused assignments of the innermost level, as one error.
    var violation: SettingsError? {
        guard let top = levels.indices.last, !levels[top].violations.isEmpty else { return nil }
        return SettingsError.refused(levels[top].violations, and: levels[top].furtherViolations)
    }

    /// The written settings; if keys lie within each other, the outer one first.
    var orderedBoxes: [AnySettingBox] {
        guard hasOverlaps else { return boxes }
        return boxes.compactMap { box in box.existingPlacement.map { (key: $0.slot.key, box: box) } }
            .sorted(by: \.key).map(\.box)
    }

    func refuse(_ error: SettingsError) {
        guard let top = levels.indices.last else { return }
        // A loop may write many values that break a rule; limit the size of the error.
        if levels[top].violations.count < Self.mostViolations {
            levels[top].violations.append(error)
        } else {
            levels[top].furtherViolations += 1
        }
    }

    private static let mostViolations = 100

    func begin(afterWritesElsewhere count: Int) {
        if let target { earlierTargets.append((levels.count, target)) }
        levels.append(Level(writesElsewhere: count))
    }

    /// Records a setting that is about to be staged.
    func addStaging(of box: AnySettingBox) {
        stagings += 1
        let identity = ObjectIdentifier(box)
        if !outside.isEmpty { outside.remove(identity) }
        if known.insert(identity).inserted { boxes.append(box) }
        let top = levels.count - 1
        if top >= 0, levels[top].known.insert(identity).inserted {
            levels[top].undo.append((box, box.staged))
        }
    }

    // The caller releases what these functions return, outside of an access to the transaction.

    /// Ends the innermost level, and leaves its writes for the level around it to decide.
    func keep() -> Level? {
        guard let level = levels.popLast(), let outer = levels.indices.last else { return nil }
        _ = takeEarlierTarget()
        for entry in level.undo where levels[outer].known.insert(ObjectIdentifier(entry.box)).inserted {
            levels[outer].undo.append(entry)
        }
        return level
    }

    /// Ends the innermost level; the caller restores what the level found.
    func endLevel() -> Level? {
        let level = levels.popLast()
        if let earlier = takeEarlierTarget() { target = earlier }
        return level
    }

    /// Returns the target as the level that has just ended has found it; `nil` if there was none.
    private func takeEarlierTarget() -> DomainTarget? {
        guard let last = earlierTargets.last, last.level == levels.count else { return nil }
        earlierTargets.removeLast()
        return last.target
    }
}

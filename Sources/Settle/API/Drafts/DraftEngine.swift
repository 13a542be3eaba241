import Synchronization

/// The store of a draft, in memory.
///
/// It shares the writer's lock of the original's store, so that a value is edited, compared and applied without a
/// change of the original in between, and two locks are never taken in different orders.
package final class DraftEngine: Engine, @unchecked Sendable {
    // Sendable: constants, atomics and locked values.

    private let members = LockedValue<[AnySettingBox]>([])
    private let violations = LockedValue<[SettingKey: SettingsError]>([:])
    private let followers = LockedValue<[Task<Void, Never>]>([])
    /// Tracks the properties of the draft itself.
    private let node = ObservationNode()
    private let isNotifying = Atomic(false)
    /// The group that the draft follows, until it ends. A closure would be wrapped once more by each access.
    private let original = LockedValue<(any SettingsGroup)?>(nil)

    /// The number of transactions that its log keeps.
    private static let logLimit = 64
    private static let logCostLimit = 1 << 20

    init(sharing original: Engine?) {
        super.init(
            log: MutationLog(logLimit: Self.logLimit, logCostLimit: Self.logCostLimit),
            time: original?.time ?? TimeSource(ContinuousClock()),
            // A draft lists what it refuses.
            issueBoard: IssueBoard(outlet: { _ in }), writer: original?.writer ?? RecursiveLock())
        // From now on, observers learn of changes of covered values.
        if let log = original?.log { log.lock.withLock { _ = log.changes.coveredTopic() } }
    }

    override var isUnopened: Bool { false }
    override var readsThrough: Bool { true }

    /// Opens the draft's boxes one after the other: code that has one of them may use it from then on.
    ///
    /// - Parameters:
    ///   - boxes: The boxes, in the order of the original's settings.
    ///   - declarations: The declarations of the original.
    func open(_ boxes: [AnySettingBox], as declarations: [GroupLayout.Declared], of original: any SettingsGroup) {
        // Weak references would not do: a group that no store has opened lives as long as its copies.
        self.original.withLock { $0 = original }
        members.withLock { $0 = boxes }
        for (declared, box) in zip(declarations, boxes) {
            box.attach(to: Placement(in: self, slot: insert(declared, box)))
        }
    }

    private func insert(_ declared: GroupLayout.Declared, _ box: AnySettingBox) -> SettingSlot {
        let key = box.followed?.box.placement.slot.key ?? declared.key
        return log.lock.withLock {
            let slot = SettingSlot(
                key: key, declaration: declared.name, schedule: nil, access: declared.access, box: box,
                parent: log.changes.topic(at: declared.group))
            log.stored.insert(slot, declaredAs: nil)
            return slot
        }
    }

    override func release() {
        for follower in followers.withLock({ $0 }) { follower.cancel() }
        original.withLock { $0.take() }.map { withExtendedLifetime($0) {} }
        let boxes = members.withLock { members in
            defer { members = [] }
            return members
        }
        // Slot and box reference each other.
        for box in boxes { _ = box.existingPlacement?.slot.removeBox() }
    }

    // MARK: Edited settings

    /// The settings, in the order of their declarations.
    var boxes: [AnySettingBox] { members.withLock { $0 } }

    /// The settings with the draft's own value; their reads are tracked.
    var edited: [AnySettingBox] {
        node.access()
        let edited = boxes.filter(\.isEdited)
        for box in edited { box.accessNodes() }
        return edited
    }

    func accessNode() { node.access() }

    /// The refused writes, in the order of the keys.
    var refused: [SettingsError] { violations.withLock { $0 }.sorted(by: \.key).map(\.value) }

    override func judge(_ slot: SettingSlot, _ error: SettingsError?) {
        let before = violations.withLock { violations in
            defer { violations[slot.key] = error }
            return violations[slot.key]
        }
        if before != nil || error != nil { draftChanged() }
    }

    override func draftChanged() {
        guard node.isTracked, !isNotifying.exchange(true, ordering: .relaxed) else { return }
        writer.afterUnlock { [self] in
            isNotifying.store(false, ordering: .relaxed)
            node.notify()
        }
    }

    func revert(_ boxes: [AnySettingBox]) {
        writer.lock()
        defer { writer.unlock() }
        for box in boxes { box.existingPlacement.map { judge($0.slot, nil) } }
        stage { for box in boxes where box.isEdited || box.staged != nil { box.stageUnedited() } }
    }

    private func stage(_ body: () -> Void) {
        // Only a closed engine throws, which a draft's never is.
        try? transact(origin: .local, author: nil, body)
    }

    // MARK: Following the original

    override func beginFollowing() {
        catchUp()
        followers.withLock { tasks in
            guard tasks.isEmpty, let original = original.withLock({ $0 }) else { return }
            let changes = original.changes(.newest)
            // A group that no store has opened has no other domains.
            let covered = original.engine.flatMap { $0.isUnopened ? nil : ContentWatch(coveredIn: $0.log) }
            tasks.append(
                Task.detached { [weak self] in
                    // Catch up on changes from before both began.
                    self?.catchUp()
                    for await _ in changes { self?.catchUp() }
                })
            guard let covered else { return }
            tasks.append(
                Task.detached { [weak self] in
                    var watch = covered
                    while await watch.changed() { self?.catchUp() }
                })
        }
    }

    /// Notifies the draft's subscribers of changes of the original.
    private func catchUp() {
        writer.lock()
        defer { writer.unlock() }
        try? transact(origin: .external, author: nil) { for box in boxes { box.catchUp() } }
    }

    // MARK: Applying

    /// Throws inside a transaction of the original or of the draft, which may still be undone.
    func checkOutside(_ original: Engine?) throws(SettingsError) {
        if isInTransaction || original?.isInTransaction == true { throw .draftInsideTransaction }
    }

    /// Writes the edited settings, inside a transaction of the original.
    ///
    /// - Returns: The written edits.
    func write(_ policy: ConflictPolicy) throws(SettingsError) -> [AppliedEdit] {
        if let error = SettingsError.refused(refused) { throw error }
        let edited = boxes.filter(\.isEdited)
        if policy == .throwing { try check(edited) }
        var errors: [SettingsError] = []
        var applied: [AppliedEdit] = []
        for box in edited {
            guard let edit = box.held?.edit else { continue }
            applied.append(AppliedEdit(box: box, edit: edit))
            do throws(SettingsError) { try box.writeFollowed() } catch { errors.append(error) }
        }
        if let error = SettingsError.refused(errors) { throw error }
        return applied
    }

    private func check(_ edited: [AnySettingBox]) throws(SettingsError) {
        let conflicts = edited.compactMap(DraftConflict.init)
        if !conflicts.isEmpty { throw .draftConflict(conflicts) }
    }

    /// Ends the edits that were applied, except settings that were written again since.
    func settle(_ applied: [AppliedEdit]) {
        writer.lock()
        defer { writer.unlock() }
        stage {
            for edit in applied where edit.box.isEdited {
                if edit.isCurrent { edit.box.stageUnedited() } else { edit.box.rebase() }
            }
        }
    }
}

/// A draft's edit of a setting when it was applied.
struct AppliedEdit: Sendable {
    let box: AnySettingBox
    let edit: DraftEdit

    /// Whether it has not been written again. Under the writer's lock.
    var isCurrent: Bool { box.held?.edit === edit }
}

extension SettingsError {
    fileprivate static let draftInsideTransaction = SettingsError(
        .insideTransaction,
        "A draft can't be applied inside an update or a commit, which might still be undone: apply it afterwards, or "
            + "make a draft of the group that contains both.")

    fileprivate static func draftConflict(_ conflicts: [DraftConflict]) -> SettingsError {
        let list = conflicts.prefix(100).map(\.difference).joined(separator: "; ")
        return SettingsError(
            .draftConflict,
            "The draft was not applied, because the settings have changed since they were edited: \(list). Revert these, or "
                + "apply the draft with `.overwriting`.",
            key: conflicts.count == 1 ? conflicts[0].key : nil)
    }
}

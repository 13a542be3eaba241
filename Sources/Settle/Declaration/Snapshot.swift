import Synchronization

/// A group's values at one moment.
///
/// Read a value as you read it from the group: `snapshot.passcode.attemptCount`. Observation tracks that as a read of the setting.
@dynamicMemberLookup
public struct Snapshot<Group: SettingsGroup>: Sendable {
    /// The revision of the newest transaction that the values include.
    public let revision: UInt64
    private let group: Group

    init(of original: Group) {
        let frozen = Group()
        let boxes = GroupLayout(original).settings.map(\.box.holder)
        let copies = GroupLayout(frozen).settings.map(\.box)
        group = frozen
        guard let store = original.store else {
            revision = 0
            return
        }
        defer {
            for (copy, box) in zip(copies, boxes) { copy.freeze(inPlaceOf: box.original) }
        }
        // Inside its own transaction a thread sees what that has written, and nobody else can publish meanwhile.
        if store.writer.isHeldByCurrentThread {
            revision = store.log.lock.withLock { store.log.revision }
            for (copy, box) in zip(copies, boxes) { _ = copy.adopt(erased: box.visibleValue) }
            return
        }
        let values: [any Sendable]
        (revision, values) = store.log.lock.withLock { (store.log.revision, boxes.map(\.committedValue)) }
        for (copy, value) in zip(copies, values) { _ = copy.adopt(erased: value) }
    }

    public subscript<Value>(dynamicMember member: KeyPath<Group, Value>) -> Value {
        group[keyPath: member]
    }
}

extension SettingsGroup {
    /// All values of the group and of the groups within it, as they were between two transactions.
    public func snapshot() -> Snapshot<Self> {
        Snapshot(of: self)
    }

    /// Reads several settings of the group, and of the groups within it, as they were between two transactions.
    ///
    /// Cheaper than ``snapshot()``, because usually nothing is copied: the closure is executed again if a transaction came in between.
    /// So it should only read, and by its argument: if transactions come too fast, that is a copy in the end. It does not wait for
    /// writers. Observation tracks what it reads.
    public func snapshot<Result>(_ read: (Self) throws -> Result) rethrows -> Result {
        guard let store else { return try read(self) }
        if store.writer.isHeldByCurrentThread { return try read(self) }
        for _ in 0..<64 {
            let before = store.log.sequence.load(ordering: .acquiring)
            guard before.isMultiple(of: 2) else { continue }
            let result = try read(self)
            if store.log.sequence.load(ordering: .acquiring) == before { return result }
        }
        // Writers are too many. A copy takes the lock for a moment and can't be overtaken.
        return try snapshot().read(read)
    }
}

extension Snapshot {
    fileprivate func read<Result>(_ body: (Group) throws -> Result) rethrows -> Result {
        try body(group)
    }
}

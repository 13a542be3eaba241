import Synchronization

/// The values of a group at one moment.
///
/// Read a value as from the group: `snapshot.passcode.attemptCount`. A snapshot can't be written. A group within the
/// group is a snapshot too, and `snapshot.$attemptCount` is a ``ReadOnlySetting`` whose value does not change. A
/// computed property whose type is not `Codable` is read as `snapshot[\.state]`. Observation tracks all of these as
/// reads of the settings.
@dynamicMemberLookup
public struct Snapshot<Group: SettingsGroup>: Sendable {
    /// The revision of the newest transaction that the values include.
    public let revision: UInt64
    /// A frozen copy. Writes that the compiler does not see, such as those by the group's own functions, go to the
    /// settings.
    private let group: Group

    init(of original: Group) {
        guard let engine = original.engine else {
            (group, revision) = (original, 0)
            return
        }
        // For a draft, and for a group whose copy may run foreign code, which writes.
        let excludesWriters = engine.readsThrough || GroupShape.of(Group.self)?.isFixed != true
        if excludesWriters { engine.writer.lock() }
        defer { if excludesWriters { engine.writer.unlock() } }
        if engine.writer.isHeldByCurrentThread {
            // Inside its own transaction a thread sees its writes, and no other thread can publish in the meantime.
            revision = engine.log.lock.withLock { engine.log.changes.revision }
            group = GroupShape.copy(original) { $0.frozen(asPublished: false) }
        } else {
            (revision, group) = engine.log.readState { GroupShape.copy(original) { $0.frozen(asPublished: true) } }
        }
    }

    private init(_ group: Group, revision: UInt64) {
        self.group = group
        self.revision = revision
    }

    // A single subscript for members of any type would return groups, through which `snapshot.inner.count = 1`
    // compiles.

    /// The value of a setting.
    public subscript<Value>(dynamicMember member: ReferenceWritableKeyPath<Group, Value>) -> Value {
        group[keyPath: member]
    }

    /// Another property of the group, such as one that is computed from settings.
    @_disfavoredOverload
    public subscript<Value: Codable>(dynamicMember member: KeyPath<Group, Value>) -> Value {
        group[keyPath: member]
    }

    /// A property of any type, such as `snapshot[\.state]`.
    public subscript<Value>(member: KeyPath<Group, Value>) -> Value {
        group[keyPath: member]
    }

    /// A group within the group.
    public subscript<Inner: SettingsGroup>(dynamicMember member: KeyPath<Group, Inner>) -> Snapshot<Inner> {
        Snapshot<Inner>(group[keyPath: member], revision: revision)
    }

    /// A setting itself, such as `snapshot.$attemptCount`.
    public subscript<Value: Sendable>(
        dynamicMember member: KeyPath<Group, SettingReference<Value>>
    ) -> ReadOnlySetting<Value> {
        group[keyPath: member].readOnly
    }
}

extension Snapshot: CustomStringConvertible, CustomReflectable {
    public var description: String { "Snapshot(revision: \(revision), \(group))" }

    public var customMirror: Mirror {
        Mirror(self, children: ["revision": revision, "group": group], displayStyle: .struct)
    }
}

extension SettingsGroup {
    /// Returns all values of the group and of the groups within it, as they were between two transactions.
    ///
    /// The call does not wait for writers, with two exceptions: for a draft's settings it waits until a write to the
    /// draft has ended, and for a group that has properties of optional, protocol or class types, itself or in a group
    /// within it, until a transaction in progress has ended. Copying such properties may run code of their types.
    public func snapshot() -> Snapshot<Self> {
        Snapshot(of: self)
    }

    /// Reads several settings of the group, and of the groups within it, as they were between two transactions.
    ///
    /// This is cheaper than ``snapshot()``, because it usually copies nothing: it runs the closure again if a
    /// transaction came in between. So the closure should only read, and only through its argument, which becomes a
    /// copy if transactions come too fast. Observation tracks the closure's reads.
    ///
    /// The call does not wait for writers, except for a draft's settings, and except if it needs a copy for which
    /// ``snapshot()`` waits.
    public func snapshot<Result>(_ read: (Self) throws -> Result) rethrows -> Result {
        guard let engine else { return try read(self) }
        if engine.writer.isHeldByCurrentThread { return try read(self) }
        if engine.readsThrough {
            engine.writer.lock()
            defer { engine.writer.unlock() }
            return try read(self)
        }
        for _ in 0..<64 {
            let before = engine.log.sequence.load(ordering: .acquiring)
            guard before.isMultiple(of: 2) else { continue }
            let result = try read(self)
            if engine.log.sequence.load(ordering: .acquiring) == before { return result }
        }
        // Transactions come too fast. A copy takes the lock for a moment and can't be overtaken.
        return try snapshot().read(read)
    }
}

extension Snapshot {
    fileprivate func read<Result>(_ body: (Group) throws -> Result) rethrows -> Result {
        try body(group)
    }
}

/// A working copy of a group, such as for a form that is open for minutes.
///
/// ```swift
/// let draft = settings.draft()
/// draft.attemptCount += 1                   // not seen elsewhere, and not saved
/// draft.passcode.isPasscodeEnabled = true
/// try draft.apply()                         // one transaction of what was written
/// ```
///
/// A draft is read and written like its group, even from several threads at once, and Observation tracks its reads. A
/// key that was written is *touched*; all others have the newest value of the original. Writing the value that a key
/// already has does not touch it. ``settings`` is the group itself, for functions that take one. No setting can have
/// the name of one of the draft's properties: opening refuses it.
///
/// A draft edits the values that the application's domain stores: where another domain covers a setting, the draft
/// shows and writes the value below, as `+=` on the setting does.
///
/// All copies of a draft are the same draft. It keeps the store open as the group does.
@dynamicMemberLookup
public struct Draft<Group: SettingsGroup>: Sendable {
    /// The draft as its group, for code that takes the group.
    public let settings: Group
    private let keeper: DraftKeeper<Group>

    init(of original: consuming Group) {
        let origin = DraftOrigin(original)
        keeper = DraftKeeper(of: origin)
        settings = GroupShape.copy(origin.original, keeping: keeper, origin.follow)
    }

    var original: Group { keeper.origin.original }
    package var engine: DraftEngine { keeper.origin.engine }

    // MARK: Members

    /// The value of a setting.
    public subscript<Value>(dynamicMember member: ReferenceWritableKeyPath<Group, Value>) -> Value {
        get { settings[keyPath: member] }
        nonmutating set { settings[keyPath: member] = newValue }
        nonmutating _modify {
            // A key path reads and writes separately.
            engine.writer.lockForChange()
            var value = settings[keyPath: member]
            defer {
                engine.writer.checkChange()
                settings[keyPath: member] = value
                engine.writer.unlock()
            }
            yield &value
        }
    }

    /// A setting itself, such as `draft.$attemptCount`, a group within the group, or another property.
    @_disfavoredOverload
    public subscript<Value>(dynamicMember member: KeyPath<Group, Value>) -> Value {
        settings[keyPath: member]
    }

    // MARK: State

    /// Whether applying the draft would change anything. Tracked by Observation.
    public var isDirty: Bool { engine.edited.contains { $0.isDirty } }

    /// The full keys for which the draft has its own value, in the order of the declarations. Tracked by Observation.
    public var touchedKeys: [String] { engine.edited.compactMap { $0.existingPlacement?.slot.key.description } }

    /// The last refused write of each key, in the order of the keys: the value, the rule, and a sentence. It is listed
    /// until the key is reverted, or written with a value that is accepted. Tracked by Observation.
    public var violations: [SettingsError] {
        engine.accessNode()
        return engine.refused
    }

    /// The touched keys whose values have changed in the original since they were first touched, unless they changed to
    /// the draft's own value. Tracked by Observation.
    public var conflicts: [DraftConflict] { engine.edited.compactMap(DraftConflict.init) }

    /// Every change of the original's values in force, from now on. It does not include changes of a value that another
    /// domain covers: Observation tracks these, and the streams of the draft's settings have them.
    public var changes: Changes { original.changes }

    // MARK: Ending

    /// Discards everything that was written: the draft then equals the original again.
    public func revert() {
        engine.revert(engine.boxes)
    }

    /// Discards the value written for one setting, such as `draft.revert(\.passcode.$attemptCount)`.
    public func revert<Value: Sendable>(_ setting: KeyPath<Group, SettingReference<Value>>) {
        engine.revert([settings[keyPath: setting].box])
    }

    /// Discards the value written for a full key, such as one of ``conflicts``.
    ///
    /// - Returns: Whether the draft has a setting with this key.
    @discardableResult
    public func revert(key: some SettingKeyConvertible) -> Bool {
        let key = SettingKey(given: key)
        let found = engine.boxes.filter { $0.existingPlacement?.slot.key == key }
        engine.revert(found)
        return !found.isEmpty
    }

    /// Writes the touched keys to the original, in one transaction; then they are no longer touched.
    ///
    /// All other keys stay as they are in the original.
    ///
    /// - Parameters:
    ///   - policy: The policy for ``conflicts``.
    ///   - author: The name for ``Change/author``.
    /// - Throws: ``SettingsError`` that names all of the keys, if there are ``violations`` or ``conflicts``, or if keys
    ///   are locked; or if the store is closed, or if this is called inside an `update` of the original or the draft.
    ///   Then nothing is written, and the draft stays as it is.
    public func apply(_ policy: ConflictPolicy = .throwing, author: String? = nil) throws(SettingsError) {
        engine.writer.lock()
        defer { engine.writer.unlock() }
        try engine.checkOutside(original.engine)
        guard let target = original.engine else { return }
        let applied = try target.transact(origin: .local, author: author, failing: { $0 }) {
            () throws(SettingsError) in try engine.write(policy)
        }
        engine.settle(applied)
    }

    /// Writes the touched keys to the original, as ``apply(_:author:)`` does, and returns when they are on stable
    /// storage.
    ///
    /// Conflicts are checked for once the changes of other processes have been merged. Values written to the draft
    /// while this waits stay in the draft.
    ///
    /// - Parameters:
    ///   - policy: The policy for ``conflicts``.
    ///   - author: The name for ``Change/author``.
    ///   - length: As in ``SettingsGroup/commit(author:confirmWithin:_:)-(_,_,()->Result)``.
    /// - Throws: As ``apply(_:author:)`` and that commit do. The draft stays as it is.
    public func commit(
        _ policy: ConflictPolicy = .throwing, author: String? = nil, confirmWithin length: Duration? = nil
    ) async throws {
        try engine.checkOutside(original.engine)
        let applied = try await original.commit(author: author, confirmWithin: length) { try engine.write(policy) }
        engine.settle(applied)
    }
}

/// The policy for writing keys that have changed in the original.
public enum ConflictPolicy: Sendable, Hashable {
    /// Throws, and writes nothing.
    case throwing
    /// Writes the draft's values.
    case overwriting
}

extension SettingsGroup {
    /// Returns a working copy of the group and of the groups within it; see ``Draft``.
    ///
    /// Any group can be drafted, including an owner-only group and one that no store has opened.
    public func draft() -> Draft<Self> {
        Draft(of: self)
    }
}

extension Draft: CustomStringConvertible, CustomReflectable {
    public var description: String { "Draft(\(settings))" }

    public var customMirror: Mirror { Mirror(self, children: ["settings": settings], displayStyle: .struct) }
}

/// A setting itself, rather than its value: what `$name` gives.
///
/// It is an async sequence of the setting's values, the current one first and then the newest one after each change:
///
/// ```swift
/// for await count in settings.$attemptCount { … }
/// ```
public struct SettingReference<Value: Sendable>: Sendable {
    @usableFromInline let box: SettingBox<Value>
    /// Keeps the store open that has opened the group.
    @usableFromInline let keeper: StoreKeeper?

    @usableFromInline
    init(box: SettingBox<Value>, keeper: StoreKeeper?) {
        self.box = box
        self.keeper = keeper
    }

    /// The value, without being tracked by Observation.
    @inlinable
    public var value: Value { box.value }

    /// Writes a value.
    ///
    /// - Throws: ``SettingsError`` that names the key, the value and the rule, if the value breaks the setting's rule;
    ///   or if the store has been closed. The old value stays then.
    public func set(_ newValue: Value) throws {
        defer { withExtendedLifetime(keeper) {} }
        try box.set(newValue)
    }

    /// Changes the value in place, atomically: no other write comes between reading and writing.
    ///
    /// - Throws: What the closure throws, in which case nothing is written; ``SettingsError`` if the closure writes the same setting
    ///   in another way, whose value stays then; else as ``set(_:)``.
    @discardableResult
    public func modify<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
        let box = box.resolved
        let attachment = box.lockForWriting()
        defer {
            attachment.core.writer.unlock()
            withExtendedLifetime(keeper) {}
        }
        let mark = box.changeMark
        var value = box.value
        let result = try body(&value)
        guard box.changeMark == mark else { throw SettingsError.overlappingChange(key: place.slot.key) }
        try box.set(value)
        return result
    }

    /// Puts the setting back to its default; nothing is stored for it then.
    public func reset(by writer: String? = nil) throws {
        let box = box.resolved
        defer { withExtendedLifetime(keeper) {} }
        try place.core.transact(origin: .reset, writer: writer) { box.stageDefault() }
    }

    /// The full key, such as `passcode.attemptCount`. For a setting whose group nobody has opened or used as a whole, the
    /// key of its declaration, or an empty string.
    public var key: String { place.slot.key.description }

    /// The value that the setting has while none is stored.
    public var defaultValue: Value { box.resolved.defaultValue }

    /// Whether no value is stored, so that the default is used. Writing a value that equals the default is no change, so it
    /// does not make this false.
    public var isDefault: Bool {
        let place = place
        return place.core.log.lock.withLock { !place.slot.isStored }
    }

    /// Where the current value comes from.
    public var origin: Origin {
        let place = place
        return place.core.log.lock.withLock { place.slot.origin }
    }

    var place: Attachment { box.place }
}

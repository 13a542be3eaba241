/// A part of a setting's value: a property, an element, or the content of an optional.
///
/// ```swift
/// let width = settings.$frame.width
/// width.value += 10                                     // atomic, as settings.frame.width += 10 is
/// for await width in settings.$frame.width { … }        // not for a new height
/// ```
///
/// It is an async sequence of the part's values: the current one first, then, on each call to `next()`, the newest one,
/// unless it equals the previous one. The setting is written as a whole, with its rules, and stored under its own key.
///
/// Parts have parts; see ``ReadableSetting``.
public struct SettingPart<Value: Sendable>: Sendable {
    let source: any PartSource<Value>

    init(_ source: any PartSource<Value>) {
        self.source = source
    }

    /// The part's value, without being tracked by Observation. Changes in place are atomic.
    ///
    /// As with an assignment to the setting, a value that breaks the setting's rule leaves the old value and is
    /// reported on ``SettingsStore/issues``; inside `update` and `commit` it makes these throw.
    public var value: Value {
        get { source.value }
        nonmutating set {
            let modification = source.beginModifying()
            source.endModifying(modification, with: newValue)
        }
        nonmutating _modify {
            let modification = source.beginModifying()
            var value = modification.value
            defer { source.endModifying(modification, with: value) }
            yield &value
        }
    }

    /// Writes the part.
    ///
    /// - Throws: ``SettingsError`` if the setting's new value breaks its rule, if the part no longer exists, or if the
    ///   store has been closed. The old value stays then.
    public func set(_ newValue: Value) throws(SettingsError) {
        try source.change(failing: { $0 }) { value throws(SettingsError) in value = newValue }
    }

    /// Changes the part in place, atomically: no other write of the setting comes between reading and writing.
    ///
    /// - Throws: As ``set(_:)``.
    @discardableResult
    public func modify<Result>(_ body: (inout Value) -> Result) throws(SettingsError) -> Result {
        try source.change(failing: { $0 }) { value throws(SettingsError) in body(&value) }
    }

    /// Changes the part in place, atomically: no other write of the setting comes between reading and writing.
    ///
    /// - Throws: The closure's error, in which case nothing is written; otherwise as ``set(_:)``.
    @discardableResult
    public func modify<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
        try source.change(failing: { $0 }, body)
    }

    /// Resets the part to its value in the setting's default. The setting stays stored.
    ///
    /// - Throws: As ``set(_:)``; also if the default has no such part.
    public func reset(author: String? = nil) throws(SettingsError) {
        try source.reset(author: author)
    }

    /// The part's value in the setting's default.
    public var defaultValue: Value { source.defaultValue }

    /// The full key of the setting, such as `window.frame`.
    public var key: String { source.key }

    /// The part, for code that may only read and follow it.
    public var readOnly: ReadOnlySetting<Value> { ReadOnlySetting(source) }
}

// MARK: Conformances

extension SettingPart: WritableSetting {
    public typealias Element = Value
    public typealias Failure = Never

    public func makeAsyncIterator() -> Iterator { Iterator(source.makeIterator()) }

    /// Returns the current value first, then, on each call, the newest one, unless it equals the previous one. Ends
    /// when the store closes or the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: any LatestIterator<Value>

        init(_ base: any LatestIterator<Value>) {
            self.base = base
        }

        public mutating func next() async -> Value? {
            await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            await base.next(isolation: actor)
        }
    }
}

extension SettingPart.Iterator: LatestIterator {
    mutating func newest(insteadOf element: Value) -> Value {
        base.newest(insteadOf: element)
    }
}

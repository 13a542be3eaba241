/// A part of a setting's value: a property, an element, or the content of an optional.
///
/// ```swift
/// let width = settings.$frame.width
/// width.value += 10                                     // atomic, as settings.frame.width += 10 is
/// for await width in settings.$frame.width { … }        // not for a new height
/// ```
///
/// It is an async sequence of the part's values: the current one first, then, whenever it is asked, the newest one,
/// unless it equals the previous one. The setting is written as a whole, with its rules, and stored under its own key.
///
/// Parts have parts. The members of a part itself, such as `value` and `key`, and those of `AsyncSequence` hide
/// properties of the value with the same name; `$frame[\.value]` reaches these.
@dynamicMemberLookup
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

    /// The part's value, tracked by Observation: for bindings.
    package var trackedValue: Value { source.trackedValue }

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
    /// - Throws: What the closure throws, in which case nothing is written; otherwise as ``set(_:)``.
    @discardableResult
    public func modify<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
        try source.change(failing: { $0 }, body)
    }

    /// Resets the part to that of the setting's default. The setting stays stored.
    ///
    /// - Throws: As ``set(_:)``; also if the default has no such part.
    public func reset(author: String? = nil) throws(SettingsError) {
        try source.reset(author: author)
    }

    /// The part of the setting's default.
    public var defaultValue: Value { source.defaultValue }

    /// The full key of the setting, such as `window.frame`.
    public var key: String { source.key }

    /// The part, for code that may only read and follow it.
    public var readOnly: ReadOnlySetting<Value> { ReadOnlySetting(source) }
}

// MARK: Parts of the part

extension SettingPart {
    /// A property of the part, such as `$window.frame.width`.
    @_disfavoredOverload
    public subscript<Member: Sendable>(
        dynamicMember path: any WritableKeyPath<Value, Member> & Sendable
    ) -> SettingPart<Member> { self[path] }

    /// A property of the part that can't be written, such as `$window.tabs.count`.
    @_disfavoredOverload
    public subscript<Member: Sendable>(
        dynamicMember path: any KeyPath<Value, Member> & Sendable
    ) -> ReadOnlySetting<Member> { self[path] }

    /// A part whose name is hidden, such as `$frame.origin[\.value]`.
    public subscript<Member: Sendable>(path: any WritableKeyPath<Value, Member> & Sendable) -> SettingPart<Member> {
        SettingPart<Member>(source.appending(PartPath(path)))
    }

    /// A read-only part whose name is hidden.
    public subscript<Member: Sendable>(path: any KeyPath<Value, Member> & Sendable) -> ReadOnlySetting<Member> {
        ReadOnlySetting<Member>(source.appending(PartPath(readOnly: path)))
    }

    /// The content of an optional now; `nil` if there is none. See ``SettingReference/unwrapped()``.
    public func unwrapped<Wrapped: Sendable>() -> SettingPart<Wrapped>? where Value == Wrapped? {
        value.map { SettingPart<Wrapped>(source.appending(.unwrapping($0))) }
    }
}

// MARK: Conformances

extension SettingPart: AsyncSequence {
    public typealias Element = Value
    public typealias Failure = Never

    public func makeAsyncIterator() -> Iterator { Iterator(source.makeIterator()) }

    /// Returns the current value first, then, whenever it is asked, the newest one, unless it equals the previous one.
    /// Ends when the store closes or the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: any LatestIterator<Value>

        init(_ base: any LatestIterator<Value>) {
            self.base = base
        }

        public mutating func next() async -> Value? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            await base.next(isolation: actor)
        }
    }

    /// Runs a body for the current value, then for the newest one after each change of the part; see
    /// ``SettingReference/forEachLatest(_:)``.
    public func forEachLatest<Failure: Error>(
        _ body: @escaping @Sendable (Value) async throws(Failure) -> Void
    ) async throws(Failure) {
        try await makeAsyncIterator().forEachLatest(body)
    }
}

extension SettingPart.Iterator: LatestIterator {
    mutating func newest(insteadOf element: Value) -> Value {
        base.newest(insteadOf: element)
    }
}

extension SettingPart: Hashable {
    /// Whether both are the same part of the same setting.
    public static func == (left: SettingPart, right: SettingPart) -> Bool {
        left.source.identity == right.source.identity
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(source.identity)
    }
}

/// A value that can be read and followed: a setting, a part of its value, or either of them for code that may not
/// write.
///
/// ``SettingReference``, ``SettingPart`` and ``ReadOnlySetting`` conform. It is an async sequence of the values: the
/// current one first and then the newest one after each change.
///
/// The properties of the value are its parts, such as `$frame.width`, and parts have parts. A member of the setting or
/// part itself hides a property of the same name, as those of `AsyncSequence` do: `$color.key` is the setting's key,
/// and `$color[\.key]` the color's.
@dynamicMemberLookup
public protocol ReadableSetting<Value>: AsyncSequence, Sendable, Hashable, CustomStringConvertible, CustomReflectable
where Element == Value, Failure == Never {
    /// The type of the value.
    associatedtype Value: Sendable

    /// The value, without being tracked by Observation.
    var value: Value { get }

    /// The value, or its part, of the setting while none is stored.
    var defaultValue: Value { get }

    /// The full key of the setting, such as `passcode.attemptCount`.
    var key: String { get }

    /// The same setting or part, for code that may only read and follow it.
    var readOnly: ReadOnlySetting<Value> { get }
}

extension ReadableSetting {
    /// A property of the value that can only be read here, such as `$list.count` or `$frame.readOnly.width`.
    @_disfavoredOverload
    public subscript<Member: Sendable>(
        dynamicMember path: any KeyPath<Value, Member> & Sendable
    ) -> ReadOnlySetting<Member> { self[path] }

    /// A property that can only be read here and whose name is hidden, such as `$color[\.key]`.
    public subscript<Member: Sendable>(path: any KeyPath<Value, Member> & Sendable) -> ReadOnlySetting<Member> {
        readOnlyPart(PartPath(readOnly: path))
    }

    /// The content of an optional now, read-only; `nil` if there is none. See ``WritableSetting/unwrapped()``.
    public func unwrapped<Wrapped: Sendable>() -> ReadOnlySetting<Wrapped>? where Value == Wrapped? {
        value.map { readOnlyPart(.unwrapping($0)) }
    }

    /// The value, tracked by Observation: for bindings.
    package var trackedValue: Value { readOnly.source.trackedValue }

    /// Runs a body for the current value, then for the newest one after each change; see
    /// ``SettingReference/forEachLatest(_:)``.
    public func forEachLatest<Failure: Error>(
        _ body: @escaping @Sendable (Value) async throws(Failure) -> Void
    ) async throws(Failure) {
        try await readOnly.makeAsyncIterator().forEachLatest(body)
    }

    /// Whether both are the same setting, or the same part of it.
    public static func == (left: Self, right: Self) -> Bool {
        left.readOnly.source.identity == right.readOnly.source.identity
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(readOnly.source.identity)
    }

    func readOnlyPart<Member>(_ path: PartPath<Value, Member>) -> ReadOnlySetting<Member> {
        ReadOnlySetting<Member>(readOnly.source.appending(path))
    }
}

/// A setting, or a part of one, for code that may only read and follow it.
///
/// ```swift
/// func show(_ title: ReadOnlySetting<String>) async {
///     for await title in title { … }
/// }
///
/// await show(settings.$title.readOnly)
/// ```
///
/// It is an async sequence of the newest values, like the setting itself. A property that can't be written gives a
/// read-only setting too, such as `$list.count`.
@dynamicMemberLookup
public struct ReadOnlySetting<Value: Sendable>: Sendable {
    let source: any PartSource<Value>

    init(_ source: any PartSource<Value>) {
        self.source = source
    }

    /// The value, without being tracked by Observation.
    public var value: Value { source.value }

    /// The value, or its part, of the setting while none is stored.
    public var defaultValue: Value { source.defaultValue }

    /// The full key of the setting, such as `passcode.attemptCount`.
    public var key: String { source.key }
}

// MARK: Parts

extension ReadOnlySetting {
    /// A property of the value, such as `$frame.readOnly.width`.
    @_disfavoredOverload
    public subscript<Member: Sendable>(
        dynamicMember path: any KeyPath<Value, Member> & Sendable
    ) -> ReadOnlySetting<Member> { self[path] }

    /// A part whose name is hidden, such as `$frame.readOnly[\.value]`.
    public subscript<Member: Sendable>(path: any KeyPath<Value, Member> & Sendable) -> ReadOnlySetting<Member> {
        ReadOnlySetting<Member>(source.appending(PartPath(readOnly: path)))
    }

    /// The content of an optional now; `nil` if there is none. See ``SettingReference/unwrapped()``.
    public func unwrapped<Wrapped: Sendable>() -> ReadOnlySetting<Wrapped>? where Value == Wrapped? {
        value.map { ReadOnlySetting<Wrapped>(source.appending(.unwrapping($0))) }
    }
}

// MARK: Conformances

extension ReadOnlySetting: AsyncSequence {
    public typealias Element = Value
    public typealias Failure = Never
    public typealias AsyncIterator = SettingPart<Value>.Iterator

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source.makeIterator()) }

    /// Runs a body for the current value, then for the newest one after each change; see
    /// ``SettingReference/forEachLatest(_:)``.
    public func forEachLatest<Failure: Error>(
        _ body: @escaping @Sendable (Value) async throws(Failure) -> Void
    ) async throws(Failure) {
        try await makeAsyncIterator().forEachLatest(body)
    }
}

extension ReadOnlySetting: Hashable {
    /// Whether both are the same setting, or the same part of it.
    public static func == (left: ReadOnlySetting, right: ReadOnlySetting) -> Bool {
        left.source.identity == right.source.identity
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(source.identity)
    }
}

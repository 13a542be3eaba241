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
/// It is an async sequence of the newest values, like the setting itself. A property that can't be written, such as
/// `$list.count`, is a read-only setting too.
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

    /// The setting or part itself.
    public var readOnly: ReadOnlySetting { self }
}

extension ReadOnlySetting: ReadableSetting {
    public typealias Element = Value
    public typealias Failure = Never
    public typealias AsyncIterator = SettingPart<Value>.Iterator

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source.makeIterator()) }
}

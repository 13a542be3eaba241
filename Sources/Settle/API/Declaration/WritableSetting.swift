/// A value that can be read, followed and written: a setting, or a part of its value.
public protocol WritableSetting<Value>: ReadableSetting {
    /// The value, without being tracked by Observation. Changes in place are atomic.
    var value: Value { get nonmutating set }

    /// Writes a value.
    ///
    /// - Throws: ``SettingsError`` if the setting's new value breaks its rule, if the part no longer exists, or if the
    ///   store has been closed. The old value stays then.
    func set(_ newValue: Value) throws(SettingsError)

    /// Changes the value in place, atomically: no other write of the setting comes between reading and writing.
    ///
    /// - Throws: As ``set(_:)``.
    @discardableResult
    func modify<Result>(_ body: (inout Value) -> Result) throws(SettingsError) -> Result

    /// Resets the setting, or its part, to its default.
    ///
    /// - Throws: As ``set(_:)``.
    func reset(author: String?) throws(SettingsError)
}

extension WritableSetting {
    /// A property of the value, such as `$frame.width`.
    @_disfavoredOverload
    public subscript<Member: Sendable>(
        dynamicMember path: any WritableKeyPath<Value, Member> & Sendable
    ) -> SettingPart<Member> { self[path] }

    /// A property of the value whose name is hidden, such as `$color[\.key]`.
    public subscript<Member: Sendable>(path: any WritableKeyPath<Value, Member> & Sendable) -> SettingPart<Member> {
        part(PartPath(path))
    }

    /// The content of an optional now; `nil` if there is none.
    ///
    /// ```swift
    /// if let user = settings.$user.unwrapped() {
    ///     try user.name.set("Carol")
    /// }
    /// ```
    ///
    /// If the optional becomes `nil` later, the value stays the last one, the sequence waits for the next one, and
    /// writes are refused, because they would restore the removed content.
    public func unwrapped<Wrapped: Sendable>() -> SettingPart<Wrapped>? where Value == Wrapped? {
        value.map { part(.unwrapping($0)) }
    }

    func part<Member>(_ path: PartPath<Value, Member>) -> SettingPart<Member> {
        SettingPart<Member>(readOnly.source.appending(path))
    }
}

/// Parts of a setting's value, which can be followed and written separately.
extension SettingReference {
    var source: any PartSource<Value> { PathSource(base: self, path: .whole) }

    /// The setting, for code that may only read and follow it.
    public var readOnly: ReadOnlySetting<Value> { ReadOnlySetting(source) }

    /// A property of the value, such as `$frame.width`.
    @_disfavoredOverload
    public subscript<Member: Sendable>(
        dynamicMember path: any WritableKeyPath<Value, Member> & Sendable
    ) -> SettingPart<Member> { self[path] }

    /// A property of the value that can't be written, such as `$list.count`.
    @_disfavoredOverload
    public subscript<Member: Sendable>(
        dynamicMember path: any KeyPath<Value, Member> & Sendable
    ) -> ReadOnlySetting<Member> { self[path] }

    /// A property of the value with the name of one of the setting's own members, such as `$frame[\.origin]`.
    public subscript<Member: Sendable>(path: any WritableKeyPath<Value, Member> & Sendable) -> SettingPart<Member> {
        SettingPart<Member>(source.appending(PartPath(path)))
    }

    /// A read-only property of the value with the name of one of the setting's own members, such as `$frame[\.key]`.
    public subscript<Member: Sendable>(path: any KeyPath<Value, Member> & Sendable) -> ReadOnlySetting<Member> {
        ReadOnlySetting<Member>(source.appending(PartPath(readOnly: path)))
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
    /// writes are refused, because they would restore what was removed.
    public func unwrapped<Wrapped: Sendable>() -> SettingPart<Wrapped>? where Value == Wrapped? {
        value.map { SettingPart<Wrapped>(source.appending(.unwrapping($0))) }
    }
}

extension SettingReference: Hashable {
    /// Whether both are the same setting.
    public static func == (left: SettingReference, right: SettingReference) -> Bool {
        left.box.resolved === right.box.resolved
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(box.resolved))
    }
}

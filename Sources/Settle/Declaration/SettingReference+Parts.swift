/// Parts of a setting's value, which are observed and written by themselves.
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

    /// A property of the value whose name is one of the setting's own, such as `$frame[\.origin]`.
    public subscript<Member: Sendable>(path: any WritableKeyPath<Value, Member> & Sendable) -> SettingPart<Member> {
        SettingPart<Member>(source.appending(PartPath(path)))
    }

    /// A property of the value that can't be written, and whose name is one of the setting's own, such as `$frame[\.key]`.
    public subscript<Member: Sendable>(path: any KeyPath<Value, Member> & Sendable) -> ReadOnlySetting<Member> {
        ReadOnlySetting<Member>(source.appending(PartPath(readOnly: path)))
    }

    /// What is in an optional now; `nil` if there is nothing.
    ///
    /// ```swift
    /// if let user = settings.$user.unwrapped() {
    ///     try user.name.set("Carol")
    /// }
    /// ```
    ///
    /// When the optional becomes `nil` later, the value is the one from before, the sequence waits until there is another one, and a
    /// write is refused, since it would bring back what was removed.
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

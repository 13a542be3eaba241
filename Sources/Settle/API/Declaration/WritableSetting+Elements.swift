// Parts that may be missing, for writing. See `ReadableSetting+Elements.swift`.

// MARK: Elements

extension WritableSetting {
    /// An element of an array, by its index. It is `nil` out of bounds; writing `nil` removes the element, and writing
    /// a value where there is no element is refused.
    public subscript<Item: Sendable>(index: Int) -> SettingPart<Item?> where Value == [Item] {
        part(.element(at: index))
    }

    /// The value of a dictionary's key; `nil` if there is none. Writing `nil` removes the entry.
    public subscript<Key: Hashable & Sendable, Item: Sendable>(
        key: Key
    ) -> SettingPart<Item?> where Value == [Key: Item] {
        part(.entry(for: key))
    }

    /// An element of an array in an optional; `nil` without the array, too.
    public subscript<Item: Sendable>(index: Int) -> SettingPart<Item?> where Value == [Item]? {
        part(.through(.element(at: index)))
    }

    /// The value of a key of a dictionary in an optional; `nil` without the dictionary, too, in which case no value can
    /// be written.
    public subscript<Key: Hashable & Sendable, Item: Sendable>(
        key: Key
    ) -> SettingPart<Item?> where Value == [Key: Item]? {
        part(.through(.entry(for: key)))
    }
}

// MARK: Parts of an optional's content

extension WritableSetting {
    /// A property of an optional's content, such as `$user.name`. It is `nil` while there is no content, and writing a
    /// value is then refused; writing `nil` is refused while there is content.
    @_disfavoredOverload
    public subscript<Wrapped: Sendable, Member: Sendable>(
        dynamicMember path: any WritableKeyPath<Wrapped, Member> & Sendable
    ) -> SettingPart<Member?> where Value == Wrapped? { self[path] }

    /// An optional property of an optional's content; `nil` may be written.
    @_disfavoredOverload
    public subscript<Wrapped: Sendable, Member: Sendable>(
        dynamicMember path: any WritableKeyPath<Wrapped, Member?> & Sendable
    ) -> SettingPart<Member?> where Value == Wrapped? { self[path] }

    /// A property of an optional's content whose name is hidden, such as `$colors[0][\.key]`.
    public subscript<Wrapped: Sendable, Member: Sendable>(
        path: any WritableKeyPath<Wrapped, Member> & Sendable
    ) -> SettingPart<Member?> where Value == Wrapped? {
        part(.through(PartPath<Wrapped, Member>(path)))
    }

    /// An optional property of an optional's content whose name is hidden; `nil` may be written.
    public subscript<Wrapped: Sendable, Member: Sendable>(
        path: any WritableKeyPath<Wrapped, Member?> & Sendable
    ) -> SettingPart<Member?> where Value == Wrapped? {
        part(.through(PartPath<Wrapped, Member?>(path)))
    }
}

// MARK: Refused by the compiler

extension WritableSetting {
    /// Refused by the compiler: an element may be missing. Unwrap `$array[0].value`, or compare it with an optional.
    @_disfavoredOverload
    public subscript(
        index: Value.Index
    ) -> SettingPart<Value.Element> where Value: Collection, Value.Element: Sendable {
        @available(
            *, unavailable,
            message: "An element may be missing: unwrap '$array[0].value', or compare it with an optional."
        )
        get { refusedByCompiler() }
    }

    /// Refused by the compiler: an element may be missing. Unwrap `$array[0].value`, or compare it with an optional.
    @_disfavoredOverload
    public subscript<Wrapped: Collection>(
        index: Wrapped.Index, type: Wrapped.Type = Wrapped.self
    ) -> SettingPart<Wrapped.Element?> where Value == Wrapped?, Wrapped.Element: Sendable {
        @available(
            *, unavailable,
            message: "An element may be missing: unwrap '$array[0].value', or compare it with an optional."
        )
        get { refusedByCompiler() }
    }

    /// Refused by the compiler: elements of a range may be missing. Read or modify the whole.
    @_disfavoredOverload
    public subscript<Range: RangeExpression>(
        range: Range
    ) -> SettingPart<Value.SubSequence>
    where Value: Collection, Value.SubSequence: Sendable, Range.Bound == Value.Index {
        @available(
            *, unavailable,
            message: "A range of elements can't be a part, as elements may be missing: read or modify the whole."
        )
        get { refusedByCompiler() }
    }

    /// Refused by the compiler: elements of a range may be missing. Read or modify the whole.
    @_disfavoredOverload
    public subscript<Wrapped: Collection, Range: RangeExpression>(
        range: Range, type: Wrapped.Type = Wrapped.self
    ) -> SettingPart<Wrapped.SubSequence?>
    where Value == Wrapped?, Wrapped.SubSequence: Sendable, Range.Bound == Wrapped.Index {
        @available(
            *, unavailable,
            message: "A range of elements can't be a part, as elements may be missing: read or modify the whole."
        )
        get { refusedByCompiler() }
    }
}

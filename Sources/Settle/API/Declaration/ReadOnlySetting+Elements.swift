// Parts that may be missing: elements, and parts of an optional's content. See `SettingReference+Elements.swift`.

// MARK: Elements

extension ReadOnlySetting {
    /// An element of an array; `nil` out of bounds.
    public subscript<Element: Sendable>(index: Int) -> ReadOnlySetting<Element?> where Value == [Element] {
        ReadOnlySetting<Element?>(source.appending(.element(at: index)))
    }

    /// The value of a dictionary's key; `nil` if there is none.
    public subscript<Key: Hashable & Sendable, Element: Sendable>(
        key: Key
    ) -> ReadOnlySetting<Element?> where Value == [Key: Element] {
        ReadOnlySetting<Element?>(source.appending(.entry(for: key)))
    }

    /// An element of an array in an optional; `nil` without the array, too.
    public subscript<Element: Sendable>(index: Int) -> ReadOnlySetting<Element?> where Value == [Element]? {
        ReadOnlySetting<Element?>(source.appending(.through(.element(at: index))))
    }

    /// The value of a key of a dictionary in an optional; `nil` without the dictionary, too.
    public subscript<Key: Hashable & Sendable, Element: Sendable>(
        key: Key
    ) -> ReadOnlySetting<Element?> where Value == [Key: Element]? {
        ReadOnlySetting<Element?>(source.appending(.through(.entry(for: key))))
    }
}

// MARK: Parts of an optional's content

extension ReadOnlySetting {
    /// A property of an optional's content; `nil` while there is none.
    @_disfavoredOverload
    public subscript<Wrapped: Sendable, Member: Sendable>(
        dynamicMember path: any KeyPath<Wrapped, Member> & Sendable
    ) -> ReadOnlySetting<Member?> where Value == Wrapped? { self[path] }

    /// An optional property of an optional's content.
    @_disfavoredOverload
    public subscript<Wrapped: Sendable, Member: Sendable>(
        dynamicMember path: any KeyPath<Wrapped, Member?> & Sendable
    ) -> ReadOnlySetting<Member?> where Value == Wrapped? { self[path] }

    /// A property of an optional's content whose name is hidden, such as `$frames[0][\.origin]`.
    public subscript<Wrapped: Sendable, Member: Sendable>(
        path: any KeyPath<Wrapped, Member> & Sendable
    ) -> ReadOnlySetting<Member?> where Value == Wrapped? {
        ReadOnlySetting<Member?>(source.appending(.through(PartPath<Wrapped, Member>(readOnly: path))))
    }

    /// An optional property of an optional's content whose name is hidden.
    public subscript<Wrapped: Sendable, Member: Sendable>(
        path: any KeyPath<Wrapped, Member?> & Sendable
    ) -> ReadOnlySetting<Member?> where Value == Wrapped? {
        ReadOnlySetting<Member?>(source.appending(.through(PartPath<Wrapped, Member?>(readOnly: path))))
    }
}

// MARK: Refused by the compiler

extension ReadOnlySetting {
    /// Refused by the compiler: an element may be missing. Unwrap `$array[0].value`, or compare it with an optional.
    @_disfavoredOverload
    public subscript(
        index: Value.Index
    ) -> ReadOnlySetting<Value.Element> where Value: Collection, Value.Element: Sendable {
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
    ) -> ReadOnlySetting<Wrapped.Element?> where Value == Wrapped?, Wrapped.Element: Sendable {
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
    ) -> ReadOnlySetting<Value.SubSequence>
    where Value: Collection, Value.SubSequence: Sendable, Range.Bound == Value.Index {
        @available(
            *, unavailable,
            message: "A range of elements is no part, since elements may be missing: read or modify the whole."
        )
        get { refusedByCompiler() }
    }

    /// Refused by the compiler: elements of a range may be missing. Read or modify the whole.
    @_disfavoredOverload
    public subscript<Wrapped: Collection, Range: RangeExpression>(
        range: Range, type: Wrapped.Type = Wrapped.self
    ) -> ReadOnlySetting<Wrapped.SubSequence?>
    where Value == Wrapped?, Wrapped.SubSequence: Sendable, Range.Bound == Wrapped.Index {
        @available(
            *, unavailable,
            message: "A range of elements is no part, since elements may be missing: read or modify the whole."
        )
        get { refusedByCompiler() }
    }
}

// Parts that may be missing: elements, and parts of an optional's content.
//
// Wherever a non-optional element type-checks, the compiler would also take `$names[0]` for the part at the key path
// `\[String].[0]`, and reading that ends the program when the array is shorter. A key path does not reveal whether it
// contains an index. So the subscripts with key paths are disfavoured, and overloads whose getters the compiler refuses
// with a message are preferred to them.

// MARK: Elements

extension ReadableSetting {
    /// An element of an array; `nil` out of bounds.
    public subscript<Item: Sendable>(index: Int) -> ReadOnlySetting<Item?> where Value == [Item] {
        readOnlyPart(.element(at: index))
    }

    /// The value of a dictionary's key; `nil` if there is none.
    public subscript<Key: Hashable & Sendable, Item: Sendable>(
        key: Key
    ) -> ReadOnlySetting<Item?> where Value == [Key: Item] {
        readOnlyPart(.entry(for: key))
    }

    /// An element of an array in an optional; `nil` without the array, too.
    public subscript<Item: Sendable>(index: Int) -> ReadOnlySetting<Item?> where Value == [Item]? {
        readOnlyPart(.through(.element(at: index)))
    }

    /// The value of a key of a dictionary in an optional; `nil` without the dictionary, too.
    public subscript<Key: Hashable & Sendable, Item: Sendable>(
        key: Key
    ) -> ReadOnlySetting<Item?> where Value == [Key: Item]? {
        readOnlyPart(.through(.entry(for: key)))
    }
}

// MARK: Parts of an optional's content

extension ReadableSetting {
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

    /// A property of an optional's content whose name is hidden, such as `$colors[0][\.key]`.
    public subscript<Wrapped: Sendable, Member: Sendable>(
        path: any KeyPath<Wrapped, Member> & Sendable
    ) -> ReadOnlySetting<Member?> where Value == Wrapped? {
        readOnlyPart(.through(PartPath<Wrapped, Member>(readOnly: path)))
    }

    /// An optional property of an optional's content whose name is hidden.
    public subscript<Wrapped: Sendable, Member: Sendable>(
        path: any KeyPath<Wrapped, Member?> & Sendable
    ) -> ReadOnlySetting<Member?> where Value == Wrapped? {
        readOnlyPart(.through(PartPath<Wrapped, Member?>(readOnly: path)))
    }
}

// MARK: Refused by the compiler

extension ReadableSetting {
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
            message: "A range of elements can't be a part, as elements may be missing: read or modify the whole."
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
            message: "A range of elements can't be a part, as elements may be missing: read or modify the whole."
        )
        get { refusedByCompiler() }
    }

    /// Refused by the compiler: neither the setting nor its value has a member of this name.
    ///
    /// Without it, the compiler's error would mention key paths and type parameters that the caller has never seen.
    /// Unlike those above, it is unavailable as a whole, so that the compiler considers it only if nothing else
    /// compiles.
    @available(
        *, unavailable,
        message: "Neither this setting nor its value has such a (Sendable) member, or it is read-only."
    )
    public subscript(dynamicMember name: String) -> NoSuchMember<Self> { refusedByCompiler() }
}

/// The result of a misspelt member name, so that the compiler refuses it with a message of this library.
@dynamicCallable
public struct NoSuchMember<Setting>: Sendable {
    /// Returns the setting, so that a misspelt method is one error and not two.
    @discardableResult
    public func dynamicallyCall(withArguments: [Any]) -> Setting { refusedByCompiler() }
}

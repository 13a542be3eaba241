/// What a declaration says of a setting.
@usableFromInline
struct SettingDefinition<Value: Sendable>: Sendable {
    let key: String?
    @usableFromInline let defaultValue: Value
    let rules: [SettingRule<Value>]
    let codec: SettingCodec<Value>
    /// `nil` for a type that is not `Equatable`: then every write is a change.
    @usableFromInline let areEqual: (@Sendable (Value, Value) -> Bool)?
    /// The memory that a value takes beyond its own size, in bytes; `nil` for types that take none.
    @usableFromInline let cost: (@Sendable (Value) -> Int)?

    init(key: String?, defaultValue: Value, rules: [SettingRule<Value>], codec: SettingCodec<Value>) {
        self.key = key
        self.defaultValue = defaultValue
        self.rules = rules
        self.codec = codec
        areEqual = Self.makeEquality()
        cost = Self.makeCost()
    }

    /// Looked up once for each declaration, because casting each value would cost more than the comparison itself.
    private static func makeEquality() -> (@Sendable (Value, Value) -> Bool)? {
        guard let type = Value.self as? any Equatable.Type else { return nil }
        let comparison = makeComparison(type)
        return { lhs, rhs in
            withUnsafePointer(to: lhs) { lhs in withUnsafePointer(to: rhs) { comparison.areEqual(lhs, $0) } }
        }
    }

    private static func makeComparison<E: Equatable>(_: E.Type) -> any Comparison {
        TypedComparison<E>()
    }

    private static func makeCost() -> (@Sendable (Value) -> Int)? {
        if Value.self == String.self || Value.self == String?.self { return { ($0 as? String)?.utf8.count ?? 0 } }
        guard Value.self is any Collection.Type else { return nil }
        return { value in (value as? any Collection).map { memory(of: $0) } ?? 0 }
    }

    private static func memory<C: Collection>(of collection: C) -> Int {
        collection.count &* max(MemoryLayout<C.Element>.stride, 16)
    }
}

/// `==` of a type that is known at run time only.
private protocol Comparison: Sendable {
    /// Compares two values of the type for which this was made.
    func areEqual(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool
}

private struct TypedComparison<E: Equatable>: Comparison {
    func areEqual(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool {
        lhs.assumingMemoryBound(to: E.self).pointee == rhs.assumingMemoryBound(to: E.self).pointee
    }
}

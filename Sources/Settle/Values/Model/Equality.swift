/// Returns `==` of a type that is known to be `Equatable` only at run time; `nil` if it is not.
///
/// Looked up once and reused, because casting each value costs more than the comparison itself.
func equality<Value>(of type: Value.Type) -> (@Sendable (Value, Value) -> Bool)? {
    guard let type = type as? any Equatable.Type else { return nil }
    let comparison = comparison(of: type)
    return { lhs, rhs in
        withUnsafePointer(to: lhs) { lhs in withUnsafePointer(to: rhs) { comparison.areEqual(lhs, $0) } }
    }
}

private func comparison<E: Equatable>(of _: E.Type) -> any Comparison {
    TypedComparison<E>()
}

private protocol Comparison: Sendable {
    /// Compares two values of this type.
    func areEqual(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool
}

private struct TypedComparison<E: Equatable>: Comparison {
    func areEqual(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool {
        lhs.assumingMemoryBound(to: E.self).pointee == rhs.assumingMemoryBound(to: E.self).pointee
    }
}

/// The rule for the values that have a stored form. An object, because few types have values without one.
final class StorableRule<Value: Sendable>: Sendable {
    /// Text that completes "it must be …".
    let words: String
    let accepts: @Sendable (Value) -> Bool

    init(words: String, accepts: @escaping @Sendable (Value) -> Bool) {
        (self.words, self.accepts) = (words, accepts)
    }
}

/// A value without a stored form, as text. Foundation ends a program that describes a date which is not finite, so an
/// error must not have the date itself.
struct DescribedValue: Sendable, CustomStringConvertible {
    let description: String
}

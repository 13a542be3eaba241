/// A type as written in Swift, such as `Date?` or `[String: Int]`.
func spelling(of type: any Any.Type) -> String {
    (type as? any SugaredType.Type)?.sugaredSpelling ?? "\(type)"
}

/// A type with a shorter spelling than its name.
private protocol SugaredType {
    static var sugaredSpelling: String { get }
}

extension Optional: SugaredType {
    fileprivate static var sugaredSpelling: String { "\(spelling(of: Wrapped.self))?" }
}

extension Array: SugaredType {
    fileprivate static var sugaredSpelling: String { "[\(spelling(of: Element.self))]" }
}

extension Dictionary: SugaredType {
    fileprivate static var sugaredSpelling: String { "[\(spelling(of: Key.self)): \(spelling(of: Value.self))]" }
}

/// Returns a type as written in Swift, such as `Date?` or `[String: Int]`.
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

/// Returns the stored spellings of an enumeration's cases, as JSON, in the order of their declaration.
///
/// - Returns: `nil` for types that do not list their values, and for those that list too many for a sentence.
func spelledCases(of type: any Any.Type) -> [String]? {
    guard let type = type as? any (CaseIterable & Encodable).Type else { return nil }
    return spellings(of: type)
}

/// The maximum number of cases that a sentence names.
let mostSpelledCases = 30

private func spellings<Value: CaseIterable & Encodable>(of _: Value.Type) -> [String]? {
    guard !Value.allCases.isEmpty, Value.allCases.count <= mostSpelledCases else { return nil }
    let values = Value.allCases.compactMap { try? SettingValueEncoder().encode($0) }
    return values.compactMap { value in (try? value.json()).map { String(decoding: $0, as: UTF8.self) } }
}

/// Returns the cases of an enumeration, or of an optional one, in the order of their declaration.
///
/// - Returns: `nil` for types that do not list their values. A struct may have values that it does not list.
func enumeratedCases(of type: any Any.Type) -> [Any]? {
    if let optional = type as? any AnyOptional.Type { return enumeratedCases(of: optional.wrappedType) }
    guard let type = type as? any (CaseIterable & Encodable).Type else { return nil }
    return cases(of: type)
}

/// People can't choose from a list of more.
private let mostCases = 1_000

private func cases<Value: CaseIterable>(of _: Value.Type) -> [Any]? {
    let cases = Value.allCases.prefix(mostCases + 1)
    guard let first = cases.first, cases.count <= mostCases else { return nil }
    return Mirror(reflecting: first).displayStyle == .enum ? Array(cases) : nil
}

/// An optional whose type is known only at run time.
protocol AnyOptional {
    static var wrappedType: any Any.Type { get }
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    static var wrappedType: any Any.Type { Wrapped.self }
    var wrapped: Any? { self }
}

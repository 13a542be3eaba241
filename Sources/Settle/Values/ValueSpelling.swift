/// A value as shown in descriptions and errors: a string in quotation marks, an optional as its content or `nil`, and
/// no secrets, not even within the value.
func spelling(ofValue value: Any) -> String {
    switch value {
    case is any SecretValue: redaction
    case let text as String: text.debugDescription
    case let value as any SpelledValue: value.spelledValue
    case is any CustomStringConvertible, is any CustomDebugStringConvertible, is any TextOutputStreamable:
        String(describing: value)
    default: spelling(ofParts: value)
    }
}

/// The same, but a string without quotation marks.
func unwrappedSpelling(of value: Any) -> String {
    let spelled = spelling(ofValue: value)
    return unwrapped(value) as? String ?? spelled
}

/// The same as ``spelling(ofValue:)``, truncated for use in an error.
func shortSpelling(ofValue value: Any) -> String {
    let most = 200
    let whole = spelling(ofValue: value)
    return whole.utf8.count <= most ? whole : "\(whole.prefix(most))…"
}

/// Needed because the standard library spells an optional property of a struct as `Optional(…)`, and shows the contents
/// of secret types.
private func spelling(ofParts value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    let parts = mirror.children.map { part in
        let spelled = spelling(ofValue: part.value)
        // The elements of a tuple without names are called `.0`, `.1` and so on.
        return part.label.map { $0.hasPrefix(".") ? spelled : "\($0): \(spelled)" } ?? spelled
    }
    switch mirror.displayStyle {
    case .struct: return "\(type(of: value))(\(parts.joined(separator: ", ")))"
    case .tuple: return "(\(parts.joined(separator: ", ")))"
    case .enum:
        guard let payload = mirror.children.first, let name = payload.label else { return String(describing: value) }
        let spelled = spelling(ofValue: payload.value)
        return Mirror(reflecting: payload.value).displayStyle == .tuple ? "\(name)\(spelled)" : "\(name)(\(spelled))"
    default: return String(describing: value)
    }
}

private func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.wrapped.flatMap(unwrapped)
}

/// A type with a spelling of its own.
private protocol SpelledValue {
    var spelledValue: String { get }
}

private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: SpelledValue, OptionalValue {
    fileprivate var spelledValue: String { map { spelling(ofValue: $0) } ?? "nil" }
    fileprivate var wrapped: Any? { self }
}

extension Array: SpelledValue {
    fileprivate var spelledValue: String { "[\(map { spelling(ofValue: $0) }.joined(separator: ", "))]" }
}

extension Set: SpelledValue {
    fileprivate var spelledValue: String { "[\(map { spelling(ofValue: $0) }.sorted().joined(separator: ", "))]" }
}

extension Dictionary: SpelledValue {
    fileprivate var spelledValue: String {
        let entries = map { "\(spelling(ofValue: $0.key)): \(spelling(ofValue: $0.value))" }
        return entries.isEmpty ? "[:]" : "[\(entries.sorted().joined(separator: ", "))]"
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value on its way into an error, an issue, a description or a dump.
///
/// It is the only way: the functions that spell a value are private to this type, and each caller has to specify
/// whether the setting is a secret. Parts of a value that are secrets by their type are hidden in any case.
struct Redacted<Value> {
    /// The value, for programs; `nil` if it must not be shown.
    let shown: Value?

    init(_ value: Value, isSecret: Bool) {
        shown = isSecret || value is any SecretValue ? nil : value
    }

    /// Creates a value whose type alone determines whether it is a secret.
    init(typed value: Value) {
        self.init(value, isSecret: Value.self is any SecretValue.Type)
    }

    /// Creates the rest of a value that went through this type already.
    init(shown: Value?) {
        self.shown = shown
    }

    var isSecret: Bool { shown == nil }
}

extension Redacted: Sendable where Value: Sendable {}

extension Redacted: CustomStringConvertible {
    /// The value as in a description: a string in quotation marks, an optional as its content or `nil`, and no secrets,
    /// not even within the value.
    var description: String { shown.map { spelling(of: $0) } ?? redaction }

    /// The same, truncated for use in an error.
    var short: String {
        let (whole, most) = (description, 200)
        return whole.utf8.count <= most ? whole : "\(whole.prefix(most))…"
    }

    /// For a mirror, which spells the value itself.
    var reflected: Any { shown ?? redaction }
}

extension Redacted {
    /// Returns the elements, without quotation marks around strings; `nil` for secrets.
    func list<Element>() -> String? where Value == [Element] {
        guard !(Element.self is any SecretValue.Type) else { return nil }
        return shown?.map { unwrapped($0) as? String ?? spelling(of: $0) }.joined(separator: ", ")
    }

    /// Returns a range as written in Swift, where the standard library spells one-sided ranges with the names of their
    /// types; `nil` for secrets.
    func range<Bound: Comparable>() -> String? where Value: RangeExpression<Bound> {
        guard !(Bound.self is any SecretValue.Type), let shown else { return nil }
        return switch shown {
        case let range as PartialRangeFrom<Bound>: "\(range.lowerBound)..."
        case let range as PartialRangeThrough<Bound>: "...\(range.upperBound)"
        case let range as PartialRangeUpTo<Bound>: "..<\(range.upperBound)"
        default: "\(shown)"
        }
    }
}

/// The replacement for a secret.
let redaction = "••••"

// MARK: Spelling

private func spelling(of value: Any) -> String {
    switch value {
    case is any SecretValue: redaction
    case let text as String: text.debugDescription
    case let value as any SpelledValue: value.spelledValue
    case is any CustomStringConvertible, is any CustomDebugStringConvertible, is any TextOutputStreamable:
        String(describing: value)
    default: spelling(ofParts: value)
    }
}

/// Needed because the standard library spells an optional property of a struct as `Optional(…)`, and shows the contents
/// of secret types.
private func spelling(ofParts value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    let parts = mirror.children.map { part in
        let spelled = spelling(of: part.value)
        // The elements of a tuple without names are called `.0`, `.1` and so on.
        return part.label.map { $0.hasPrefix(".") ? spelled : "\($0): \(spelled)" } ?? spelled
    }
    switch mirror.displayStyle {
    case .struct: return "\(type(of: value))(\(parts.joined(separator: ", ")))"
    case .tuple: return "(\(parts.joined(separator: ", ")))"
    case .enum:
        guard let payload = mirror.children.first, let name = payload.label else { return String(describing: value) }
        let spelled = spelling(of: payload.value)
        return Mirror(reflecting: payload.value).displayStyle == .tuple ? "\(name)\(spelled)" : "\(name)(\(spelled))"
    default: return String(describing: value)
    }
}

private func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptional else { return value }
    return optional.wrapped.flatMap(unwrapped)
}

/// A type with a spelling of its own.
private protocol SpelledValue {
    var spelledValue: String { get }
}

extension Optional: SpelledValue {
    fileprivate var spelledValue: String { map { spelling(of: $0) } ?? "nil" }
}

extension Array: SpelledValue {
    fileprivate var spelledValue: String { "[\(map { spelling(of: $0) }.joined(separator: ", "))]" }
}

extension Set: SpelledValue {
    fileprivate var spelledValue: String { "[\(map { spelling(of: $0) }.sorted().joined(separator: ", "))]" }
}

extension Dictionary: SpelledValue {
    fileprivate var spelledValue: String {
        let entries = map { "\(spelling(of: $0.key)): \(spelling(of: $0.value))" }
        return entries.isEmpty ? "[:]" : "[\(entries.sorted().joined(separator: ", "))]"
    }
}

extension Date: SpelledValue {
    // Foundation's description ends the program for a date that is not finite, or too far away for its seconds.
    fileprivate var spelledValue: String {
        guard Int64(exactly: timeIntervalSince1970.rounded()) == nil else { return description }
        return "Date(timeIntervalSinceReferenceDate: \(timeIntervalSinceReferenceDate))"
    }
}

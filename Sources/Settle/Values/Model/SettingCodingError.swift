/// The reason why a value could not be converted to a ``SettingValue``, or a ``SettingValue`` to a value.
///
/// Strings that were found are counted, not quoted: a setting may hold a secret, and errors end up in logs.
public struct SettingCodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path to the problem inside the setting's value: names of properties, dictionary keys and array positions.
    /// Empty if it is the value itself.
    public var path: [String]
    /// The required value, as text after "expected".
    public var expected: String
    /// The actual value, as text after "found".
    public var found: String

    /// Creates an error. The texts `expected` and `found` must not quote a value.
    public init(path: [String] = [], expected: String, found: String) {
        self.path = path
        self.expected = expected
        self.found = found
    }

    public var description: String {
        "Expected \(place), found \(found)."
    }

    fileprivate var place: String {
        path.isEmpty ? expected : "\(expected) at \(path.joined(separator: "."))"
    }
}

extension SettingCodingError {
    /// The description as text within a sentence.
    var reason: String { "expected \(place), found \(found)" }

    init(expected: String, found value: SettingValue) {
        self.init(expected: expected, found: value.summary)
    }

    /// Returns the same error, seen from one level further out.
    func below(_ key: String) -> SettingCodingError {
        below([key])
    }

    func below(_ keys: [String]) -> SettingCodingError {
        SettingCodingError(path: keys + path, expected: expected, found: found)
    }
}

/// Converts a part of a value. An error names its key.
@inline(__always)
func converting<Result>(
    at key: @autoclosure () -> String, _ conversion: @autoclosure () throws(SettingCodingError) -> Result
) throws(SettingCodingError) -> Result {
    do throws(SettingCodingError) { return try conversion() } catch { throw error.below(key()) }
}

extension SettingValue {
    /// The kind of value, as text within a sentence.
    var summary: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "the integer \(value)"
        case .real(let value): "the number \(value)"
        case .number(let literal): "the number \(literal.prefix(40))"
        case .string(let text): text.isEmpty ? "an empty string" : "a string of \(counted(text.count, "character"))"
        case .date: "a date"
        case .data(let data): "data of \(counted(data.count, "byte"))"
        case .array(let elements): "an array of \(counted(elements.count, "element"))"
        case .dictionary(let entries): "a dictionary of \(counted(entries.count, "entry", "entries"))"
        }
    }

    private func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count) \(count == 1 ? one : many ?? one + "s")"
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A type with its own spelling as a ``SettingValue``, which takes precedence over its `Codable` conformance.
///
/// Conversions from a ``SettingValue`` are exact or refused.
protocol DirectSettingValue: ShapedValue, Sendable {
    init(settingValue: SettingValue) throws(SettingCodingError)

    func settingValue() throws(SettingCodingError) -> SettingValue

    /// The rule for the values that have a stored form, as text that completes "it must be …"; `nil` if each value has
    /// one.
    static var storableRule: String? { get }
    /// Whether the value has a stored form.
    var isStorable: Bool { get }
}

extension DirectSettingValue {
    static var storableRule: String? { nil }
    var isStorable: Bool { true }
}

/// Returns a type as one with its own spelling; `nil` if it has none.
///
/// For each file with such types, one is named here. A cast names none, and a linker takes from an archive
/// (`libSettle.a`) only the files that something names: without this, dates would silently be spelled by `Codable`.
func directType(_ type: Any.Type) -> (any DirectSettingValue.Type)? {
    if type == Int.self { return Int.self }
    if type == Date.self { return Date.self }
    if type == Duration.self { return Duration.self }
    if type == [String].self { return [String].self }
    return type as? any DirectSettingValue.Type
}

extension Bool: DirectSettingValue {
    static var shape: ValueShape { ValueShape(.bool) }

    init(settingValue: SettingValue) throws(SettingCodingError) {
        guard case .bool(let value) = settingValue else {
            throw SettingCodingError(expected: "true or false", found: settingValue)
        }
        self = value
    }

    func settingValue() -> SettingValue { .bool(self) }
}

extension String: DirectSettingValue {
    static var shape: ValueShape { ValueShape(.string) }

    init(settingValue: SettingValue) throws(SettingCodingError) {
        guard case .string(let value) = settingValue else {
            throw SettingCodingError(expected: "a string", found: settingValue)
        }
        self = value
    }

    func settingValue() -> SettingValue { .string(self) }
}

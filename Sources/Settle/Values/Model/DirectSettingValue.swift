/// A type with its own spelling as a ``SettingValue``, which takes precedence over its `Codable` conformance.
///
/// Conversions from a ``SettingValue`` are exact or refused.
protocol DirectSettingValue: ShapedValue, Sendable {
    init(settingValue: SettingValue) throws(SettingCodingError)

    func settingValue() throws(SettingCodingError) -> SettingValue
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

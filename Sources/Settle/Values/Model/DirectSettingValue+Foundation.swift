#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Date: DirectSettingValue {
    static var shape: ValueShape { ValueShape(.date) }

    /// Accepts a date, an ISO 8601 string with an offset from UTC, and a number of seconds since 1970.
    init(settingValue: SettingValue) throws(SettingCodingError) {
        let date: Date? =
            switch settingValue {
            case .date(let value): value
            case .string(let text): Timestamp(iso8601: text)?.date
            case .integer(let seconds): Date(secondsSince1970: DecimalNumber(seconds))
            case .real(let seconds): DecimalNumber(shortest: seconds).flatMap(Date.init(secondsSince1970:))
            case .number(let literal): DecimalNumber(literal).flatMap(Date.init(secondsSince1970:))
            default: nil
            }
        guard let date, date.timeIntervalSinceReferenceDate.isFinite else {
            throw SettingCodingError(expected: "a date such as \"2001-12-31T23:59:59Z\"", found: settingValue)
        }
        self = date
    }

    func settingValue() throws(SettingCodingError) -> SettingValue {
        guard isStorable else { throw SettingCodingError(expected: "a date", found: "one that is not finite") }
        return .date(self)
    }

    static var storableRule: String? { "a finite date" }
    var isStorable: Bool { timeIntervalSinceReferenceDate.isFinite }
}

extension Data: DirectSettingValue {
    static var shape: ValueShape { ValueShape(.data) }

    /// Accepts data and base64 strings.
    init(settingValue: SettingValue) throws(SettingCodingError) {
        switch settingValue {
        case .data(let value):
            self = value
        case .string(let text):
            guard let value = Data(base64Encoded: text) else { fallthrough }
            self = value
        default:
            throw SettingCodingError(expected: "data or a base64 string", found: settingValue)
        }
    }

    func settingValue() -> SettingValue { .data(self) }
}

extension URL: DirectSettingValue {
    static var shape: ValueShape { ValueShape(.url) }

    init(settingValue: SettingValue) throws(SettingCodingError) {
        guard case .string(let text) = settingValue, !text.isEmpty,
            let value = URL(string: text, encodingInvalidCharacters: false)
        else {
            throw SettingCodingError(expected: "a URL", found: settingValue)
        }
        self = value
    }

    /// The absolute string; the base is not stored separately.
    func settingValue() -> SettingValue { .string(absoluteString) }
}

extension UUID: DirectSettingValue {
    static var shape: ValueShape { ValueShape(.uuid) }

    init(settingValue: SettingValue) throws(SettingCodingError) {
        guard case .string(let text) = settingValue, let value = UUID(uuidString: text) else {
            throw SettingCodingError(
                expected: "a UUID such as \"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"", found: settingValue)
        }
        self = value
    }

    func settingValue() -> SettingValue { .string(uuidString) }
}

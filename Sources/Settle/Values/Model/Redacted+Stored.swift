#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Redacted where Value == SettingValue {
    /// A stored value for use within a sentence: as JSON if that is short, otherwise its kind.
    var summary: String { shown?.shortSpelling ?? redaction }

    /// A stored value as written in a file, if it is short and not a collection.
    var literal: String {
        // An edit may have spelled the integer `1000` as `1e3`.
        if case .real(let real)? = shown, let integer = Int64(exactly: real), integer.magnitude < 1 << 53 {
            return "\(integer)"
        }
        return shown?.shortJSON ?? summary
    }
}

extension SettingValue {
    fileprivate var shortSpelling: String {
        switch self {
        case .string, .date, .data, .array, .dictionary: shortJSON ?? summary
        default: summary
        }
    }

    fileprivate var shortJSON: String? {
        guard let json = try? json(), json.count <= 40 else { return nil }
        return String(decoding: json, as: UTF8.self)
    }
}

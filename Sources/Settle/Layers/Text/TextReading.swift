#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One way to read text that may represent more than a string.
package enum TextReading: CaseIterable {
    case string, number, bool, date, duration
    /// Each of several texts in any way that fits.
    case mixed

    private static let mixable: [TextReading] = [.number, .bool, .date, .duration]

    /// Returns the value of the text; `nil` if it can't be read this way.
    package func value(of text: String) -> SettingValue? {
        switch self {
        case .string: .string(text)
        case .number: number(text.withoutOuterSpace)
        case .bool: bool(text.withoutOuterSpace)
        case .date: Timestamp(iso8601: String(text.withoutOuterSpace)).map { .date($0.date) }
        case .duration: DurationText.duration(text.withoutOuterSpace).map { $0.settingValue() }
        case .mixed:
            Self.mixable.lazy.compactMap { $0.value(of: text) }.first
        }
    }

    /// Returns the same value with all strings in it read this way, if they can be.
    func value(of value: SettingValue) -> SettingValue {
        switch value {
        case .string(let text): self.value(of: text) ?? value
        case .array(let elements): .array(elements.map { self.value(of: $0) })
        case .dictionary(let entries):
            .dictionary(.init(uniqueKeysWithValues: entries.lazy.map { ($0.key, self.value(of: $0.value)) }))
        default: value
        }
    }

    private func number(_ text: Substring) -> SettingValue? {
        guard let first = text.utf8.first, first.isDigit || first == UInt8(ascii: "-") else { return nil }
        var reader = JSONReader(Array(text.utf8))
        return try? reader.readFragment()
    }

    private func bool(_ text: Substring) -> SettingValue? {
        guard text.utf8.count <= 5 else { return nil }
        switch text.lowercased() {
        case "true", "yes", "on", "1": return .bool(true)
        case "false", "no", "off", "0": return .bool(false)
        default: return nil
        }
    }
}

extension String {
    /// The text without spaces, tabs and line breaks at both ends.
    var withoutOuterSpace: Substring { self[...].withoutOuterSpace }
}

extension Substring {
    /// The text without spaces, tabs and line breaks at both ends.
    var withoutOuterSpace: Substring {
        guard let start = utf8.firstIndex(where: { !$0.isTextSpace }),
            let end = utf8.lastIndex(where: { !$0.isTextSpace })
        else { return self[endIndex...] }
        return self[start..<utf8.index(after: end)]
    }
}

import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingValue {
    /// Returns an edited value with the types that JSON lacks, where the stored value had them: dates, data, and
    /// numbers with a fraction.
    ///
    /// - Parameters:
    ///   - stored: The stored value.
    ///   - shown: The stored value as the editor showed it.
    func restored(as stored: SettingValue?, shownAs shown: SettingValue?) -> SettingValue {
        guard let stored else { return self }
        if let shown, self == shown { return stored }
        switch (self, stored) {
        case (.string(let text), .date): return TextReading.date.value(of: text) ?? self
        case (.string(let text), .data): return Data(base64Encoded: text).map { .data($0) } ?? self
        case (.integer(let number), .real): return Double(exactly: number).map { .real($0) } ?? self
        case (.dictionary(let entries), .dictionary(let old)):
            let names: SettingValue.Entries = if case .dictionary(let entries)? = shown { entries } else { [:] }
            return .dictionary(
                .init(
                    uniqueKeysWithValues: entries.map {
                        ($0.key, $0.value.restored(as: old[$0.key], shownAs: names[$0.key]))
                    }))
        case (.array(let elements), .array(let old)):
            let parts: [SettingValue] = if case .array(let parts)? = shown { parts } else { [] }
            // Moved elements keep their types. A new one takes the type of the one at its index, or of the last one.
            return .array(
                elements.enumerated().map { index, element in
                    if let place = parts.firstIndex(of: element), place < old.count { return old[place] }
                    return element.restored(as: index < old.count ? old[index] : old.last, shownAs: nil)
                })
        default: return self
        }
    }
}

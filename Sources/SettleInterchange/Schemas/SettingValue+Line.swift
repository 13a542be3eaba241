package import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingValue {
    /// The value as JSON on one line. What JSON has not, such as an infinite number, is the word for it.
    package var line: String {
        if let json = try? json() { return String(decoding: json, as: UTF8.self) }
        return DefaultsText.text(of: self)
    }
}

/// In place of a secret.
package let redaction = "••••"

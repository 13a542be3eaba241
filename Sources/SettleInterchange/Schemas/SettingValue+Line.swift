package import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingValue {
    /// The value as JSON on one line. A value that JSON lacks, such as an infinite number, is the word for it.
    package var line: String {
        if let json = try? json() { return String(decoding: json, as: UTF8.self) }
        return DefaultsText.text(of: self)
    }
}

/// The mark in place of a secret.
package let redaction = "••••"

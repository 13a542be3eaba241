/// What a bundle may have. Real ones have a hundredth of it.
enum BundleLimits {
    /// Of a property list, in bytes.
    static let list = 4 << 20
    /// Of a table, in bytes.
    static let table = 4 << 20
    /// Of a picture, in bytes.
    static let image = 1 << 20
    /// Of all files that are read, in bytes.
    static let total = 64 << 20
    static let panes = 1_000
    /// How many rows in a row may lead to another pane.
    static let depth = 32
    /// In all panes.
    static let specifiers = 20_000
    static let choices = 10_000
    static let localizations = 400
    /// In all languages.
    static let tables = 4_000
    static let images = 200
    static let findings = 1_000
}

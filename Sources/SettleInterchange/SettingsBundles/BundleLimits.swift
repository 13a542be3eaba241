/// The limits of a bundle. Real ones have a hundredth of it.
enum BundleLimits {
    /// The size of a property list, in bytes.
    static let list = 4 << 20
    /// The size of a table, in bytes.
    static let table = 4 << 20
    /// The size of a picture, in bytes.
    static let image = 1 << 20
    /// The size of all files that are read, in bytes.
    static let total = 64 << 20
    static let panes = 1_000
    /// The maximum number of nested panes, each behind a row of the previous one.
    static let depth = 32
    /// The number of specifiers in all panes.
    static let specifiers = 20_000
    static let choices = 10_000
    static let localizations = 400
    /// The number of tables in all languages.
    static let tables = 4_000
    static let images = 200
    static let findings = 1_000
}

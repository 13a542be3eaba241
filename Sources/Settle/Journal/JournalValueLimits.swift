enum JournalValueLimits {
    /// The maximum nesting of dictionaries and arrays, the outermost counting as 1. The same limit applies to files.
    static let depth = SettingValue.depthLimit
}

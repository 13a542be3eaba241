enum JournalValueLimits {
    /// Of dictionaries and arrays within each other, the outermost counted as 1: as deep as a file may be.
    static let depth = SettingValue.depthLimit
}

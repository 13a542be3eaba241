/// The keys that one transaction has written, which are stored together.
struct WrittenTogether: Sendable {
    var keys: [SettingKey]
    /// What it has written at keys that later transactions have written again, as far as that is known.
    var earlier: [SettingKey: SettingValue?] = [:]
    /// Whether it is one transaction, and not several of which the log has forgotten which keys each has written.
    var isOne = true
}

/// A part of what waits to be stored.
struct BatchPart: Sendable {
    var values: [SettingKey: SettingValue?] = [:]
    /// Which of the transactions are complete with it, by their indices.
    var transactions: Set<Int> = []
    /// Whether it is all that waits.
    var isWhole = false
}

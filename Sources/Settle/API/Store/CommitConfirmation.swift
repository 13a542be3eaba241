/// The terms of a commit that is taken back unless it is confirmed in time.
struct CommitConfirmation: Sendable {
    var length: Duration
    /// The keys of secrets in addition to those that the store's groups declare.
    var secrets: Set<SettingKey>

    /// - Returns: `nil` without a length: the commit then stands for good.
    init?(length: Duration?, secrets: Set<SettingKey> = []) {
        guard let length else { return nil }
        (self.length, self.secrets) = (length, secrets)
    }
}

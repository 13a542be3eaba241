/// The new values of some keys, from one or more transactions.
public struct StorageBatch: Sendable, Hashable {
    /// The revision that is complete once this batch is stored. Revisions of successive batches rise.
    public var revision: UInt64
    /// The new value of each changed key; `nil` means that the key is no longer stored. Keys are dotted paths.
    public var values: [String: SettingValue?]

    public init(revision: UInt64, values: [String: SettingValue?]) {
        self.revision = revision
        self.values = values
    }
}

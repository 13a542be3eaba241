/// The new values of some keys, from one or more transactions.
public struct StorageBatch: Sendable, Hashable {
    /// The revision that is complete once this batch is stored. Revisions of successive batches rise.
    public var revision: UInt64
    /// The new value of each changed key; `nil` means that the key is no longer stored.
    public var values: [SettingKey: SettingValue?]
    /// What the store believes to be stored at these keys until now. A storage that others change too can compare it
    /// with what is stored to detect changes of the same key. A key that is missing here was not stored.
    public var expectedValues: [SettingKey: SettingValue]
    /// The author, if all of the batch has one with a name.
    public var author: String?

    public init(
        revision: UInt64, values: [SettingKey: SettingValue?], expectedValues: [SettingKey: SettingValue] = [:],
        author: String? = nil
    ) {
        self.revision = revision
        self.values = values
        self.expectedValues = expectedValues
        self.author = author
    }
}

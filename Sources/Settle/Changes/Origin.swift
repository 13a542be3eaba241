/// Where a value, or the change that brought it, comes from.
public enum Origin: String, Sendable, Hashable, CaseIterable {
    /// The declaration's default: nobody has stored a value.
    case `default`
    /// A write in this process.
    case local
    /// Another process, or a person with an editor.
    case external
    /// The storage, when the store was opened.
    case loaded
    /// A migration of stored values.
    case migration
    /// A reset to the declaration's default: also a transaction that did nothing else.
    case reset
    /// A layer above the stored values.
    case override
}

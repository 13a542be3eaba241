/// The source of a value, or of the change that set it.
public enum Origin: String, Sendable, Hashable, CaseIterable {
    /// The declaration's default: no value is stored.
    case `default`
    /// A write in this process.
    case local
    /// Another process, or a person with an editor. Also a commit that was surely not stored: its undoing puts in force
    /// what is stored.
    case external
    /// The storage, when the store was opened.
    case loaded
    /// A migration of stored values.
    case migration
    /// A reset to the declaration's default, including a transaction that did nothing else.
    case reset
    /// A layer above the stored values.
    case override
}

/// The source of a value, or of the change that set it.
public enum ValueOrigin: String, Sendable, Hashable, CaseIterable {
    /// The declaration's default: no domain has a value.
    case `default`
    /// A write in this process.
    case local
    /// Another process, or a user with an editor. Also a commit that was surely not stored: undoing it restores the
    /// stored values.
    case external
    /// The storage, when the store was opened.
    case loaded
    /// A migration of stored values.
    case migration
    /// A reset to the declaration's default, including a transaction that did nothing else.
    case reset
    /// An administrator's file; see ``DomainName/managed``.
    case managed
    /// Code that overrides the setting; see ``DomainName/overrides``.
    case override
    /// The arguments of the command line.
    case arguments
    /// Environment variables, of the process or in a file.
    case environment
    /// A folder with a file for each key, or the secret store; see ``DomainName/secrets`` and
    /// ``DomainName/secretStore``.
    case secrets
    /// This machine's file; see ``DomainName/host``.
    case host
    /// Another program's settings; see ``DomainName/suite(_:)``.
    case suite
    /// The file for all programs of the user; see ``DomainName/global``.
    case global
    /// An administrator's defaults; see ``DomainName/system``.
    case system
    /// Defaults for the user's languages.
    case language
    /// Registered defaults.
    case registration
    /// A domain that the program has defined.
    case domain
}

import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A domain with the result of loading its source when the store was opened; `nil` if it has no source.
typealias LoadedDomain = (domain: AttachedDomain, contents: Result<DomainContents, StorageError>?)

/// A domain of an open store, with the source of its values.
final class AttachedDomain: Sendable {
    let identity: DomainIdentity
    /// The source; `nil` if only code sets its values.
    let source: (any DomainSource)?
    /// Its file, if an explicit call may write it.
    let file: URL?
    /// The home of the other user that the file belongs to, if it is another user's.
    let home: UserHome?
    /// The newest transaction of the source's history that is in force; `nil` if there is none, or no history.
    let token = LockedValue<ChangeToken?>(nil)
    /// Whether the last attempt to load the source has failed.
    let hasFailed = Atomic(false)

    var name: DomainName { identity.name }

    init(
        _ identity: DomainIdentity, source: (any DomainSource)? = nil, file: URL? = nil, home: UserHome? = nil
    ) {
        self.identity = identity
        self.source = source
        self.file = file
        self.home = home
    }

    /// Returns the location of a value, for users.
    func place(of key: SettingKey) -> String {
        switch identity.origin {
        case .override: "an override"
        case .registration: "a registered default"
        case .language: "a default for the user's languages"
        default: source?.place(of: key) ?? "the domain “\(name)”"
        }
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A domain with what its source had when the store was opened; `nil` if it has no source.
typealias LoadedDomain = (domain: AttachedDomain, contents: Result<DomainContents, StorageError>?)

/// A domain of an open store, and where its values come from.
final class AttachedDomain: Sendable {
    let identity: DomainIdentity
    /// `nil` if code alone sets its values.
    let source: (any DomainSource)?
    /// Its file, if an explicit call may write it.
    let file: URL?
    /// If the file is another user's, that user's.
    let home: UserHome?

    var name: DomainName { identity.name }

    init(
        _ identity: DomainIdentity, source: (any DomainSource)? = nil, file: URL? = nil, home: UserHome? = nil
    ) {
        self.identity = identity
        self.source = source
        self.file = file
        self.home = home
    }

    /// Where a value is, for people.
    func place(of key: SettingKey) -> String {
        switch identity.origin {
        case .override: "an override"
        case .registration: "a registered default"
        case .language: "a default for the user's languages"
        default: source?.place(of: key) ?? "the domain “\(name)”"
        }
    }
}

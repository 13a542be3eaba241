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
    /// The numbers of the last commit of its file by this store, and of the last one whose values were put in force.
    private let commits = LockedValue<(last: UInt64, inForce: UInt64)>((0, 0))

    var name: DomainName { identity.name }

    init(
        _ identity: DomainIdentity, source: (any DomainSource)? = nil, file: URL? = nil, home: UserHome? = nil
    ) {
        self.identity = identity
        self.source = source
        self.file = file
        self.home = home
    }

    /// Numbers a commit of its file, within the commit.
    func numberOfNextCommit() -> UInt64 {
        commits.withLock { commits in
            commits.last += 1
            return commits.last
        }
    }

    /// Records that the values of a commit, or of none, are about to be put in force.
    ///
    /// - Returns: False if those of a later commit are in force.
    func isNewest(_ number: UInt64?) -> Bool {
        guard let number else { return true }
        return commits.withLock { commits in
            guard number > commits.inForce else { return false }
            commits.inForce = number
            return true
        }
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

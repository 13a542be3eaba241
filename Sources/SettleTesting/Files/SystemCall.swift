/// A system call that a test observes, whether or not it failed.
package struct SystemCall: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case open, create, openFolder, read, write, synchronize, close, lock, status, setPermissions, rename, exchange,
            link
        case setOwner, remove, makeFolder, names, linkTarget, update, synchronizeData, truncate, unlock
    }

    package let kind: Kind
    /// The file's path; for a rename or link, the new name.
    package let path: String

    package init(kind: Kind, path: String) {
        (self.kind, self.path) = (kind, path)
    }

    /// For example, `rename settings.json`.
    package var description: String {
        "\(kind.rawValue) \(path.split(separator: "/").last ?? "/")"
    }
}

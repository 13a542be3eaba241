/// A call that ``FaultySystemCalls`` has seen, also if it failed.
package struct SystemCall: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case open, create, openFolder, read, write, synchronize, close, lock, status, setPermissions, rename, link
        case setOwner, remove, makeFolder, names, linkTarget, update, synchronizeData, truncate, unlock
    }

    package let kind: Kind
    /// Which file; of a rename or link, the new name.
    package let path: String

    /// Such as `rename settings.json`.
    package var description: String {
        "\(kind.rawValue) \(path.split(separator: "/").last ?? "/")"
    }
}

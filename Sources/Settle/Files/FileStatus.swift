/// What the operating system says about a file without opening its contents.
package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case file, folder, symbolicLink, other
    }

    /// The same for two names exactly when both name the same file.
    package struct Identity: Sendable, Hashable {
        package let device: UInt64
        package let file: UInt64
    }

    package let kind: Kind
    /// In bytes.
    package let size: Int64
    /// The lower nine permission bits.
    package let permissions: UInt16
    package let identity: Identity
}

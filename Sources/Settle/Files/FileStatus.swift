/// What the operating system says about a file without opening its contents.
package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case file, folder, symbolicLink, other
    }

    /// The same for two names exactly when both name the same file.
    package struct Identity: Sendable, Hashable {
        package let device: UInt64
        package let file: UInt64

        package init(device: UInt64, file: UInt64) {
            self.device = device
            self.file = file
        }
    }

    package let kind: Kind
    /// In bytes.
    package let size: Int64
    /// The lower nine permission bits.
    package let permissions: UInt16
    package let identity: Identity

    package init(kind: Kind, size: Int64, permissions: UInt16, identity: Identity) {
        self.kind = kind
        self.size = size
        self.permissions = permissions
        self.identity = identity
    }
}

/// The operating system's metadata of a file.
package struct FileStatus: Sendable, Equatable {
    package enum Kind: Sendable, Hashable {
        case file, folder, symbolicLink, pipe, socket, device
    }

    /// Equal for two names if and only if both name the same file.
    package struct Identity: Sendable, Hashable {
        package let device: UInt64
        package let file: UInt64

        package init(device: UInt64, file: UInt64) {
            self.device = device
            self.file = file
        }
    }

    /// The numeric user and group of a file.
    package struct Owner: Sendable, Equatable {
        package let user: UInt32
        package let group: UInt32

        package init(user: UInt32, group: UInt32) {
            self.user = user
            self.group = group
        }
    }

    package let kind: Kind
    /// In bytes.
    package let size: Int64
    /// The lower nine permission bits.
    package let permissions: UInt16
    /// Whether a file in this folder may be renamed or removed only by its owner and the folder's.
    package let isSticky: Bool
    package let owner: Owner
    package let identity: Identity
    /// How many names the file has; 0 if it was removed while it was open.
    package let linkCount: Int
    /// When the contents last changed, in nanoseconds since 1970, at the file system's precision.
    package let contentsChanged: Int64
    /// When the contents, the permissions or the names last changed. Programs can't set it.
    package let statusChanged: Int64

    package init(
        kind: Kind, size: Int64, permissions: UInt16, isSticky: Bool = false,
        owner: Owner = Owner(user: 0, group: 0), identity: Identity, linkCount: Int = 1, contentsChanged: Int64 = 0,
        statusChanged: Int64 = 0
    ) {
        self.kind = kind
        self.size = size
        self.permissions = permissions
        self.isSticky = isSticky
        self.owner = owner
        self.identity = identity
        self.linkCount = linkCount
        self.contentsChanged = contentsChanged
        self.statusChanged = statusChanged
    }
}

extension FileStatus.Kind: CustomStringConvertible {
    /// The kind with its article, for sentences.
    package var description: String {
        switch self {
        case .file: "a file"
        case .folder: "a folder"
        case .symbolicLink: "a symbolic link"
        case .pipe: "a named pipe"
        case .socket: "a socket"
        case .device: "a device"
        }
    }
}

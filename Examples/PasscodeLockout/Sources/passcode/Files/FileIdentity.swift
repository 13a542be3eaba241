import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// What a path leads to, whatever it is called: through links, and through other paths of its folder.
struct FileIdentity {
    private struct Number: Equatable {
        var device: dev_t
        var inode: ino_t
    }

    private let file: Number?
    /// For a file that is not there yet.
    private let folder: Number?
    private let name: String

    init(_ url: URL) {
        let resolved = url.resolvingSymlinksInPath()
        file = Self.number(of: resolved)
        folder = Self.number(of: resolved.deletingLastPathComponent())
        name = resolved.lastPathComponent
    }

    func isSame(as other: FileIdentity) -> Bool {
        if let file, let otherFile = other.file { return file == otherFile }
        return folder != nil && folder == other.folder && name == other.name
    }

    private static func number(of url: URL) -> Number? {
        var status = stat()
        return stat(url.path, &status) == 0 ? Number(device: status.st_dev, inode: status.st_ino) : nil
    }
}

import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
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

/// A file that a user names for a document, of whatever kind it is.
struct DocumentFile {
    private let operations = FileOperations(POSIXSystemCalls())
    /// The path as the user gave it.
    private let name: String
    /// The path without links, or the reason why they can't be followed.
    private let resolved: Result<FilePath, SystemError>
    /// The links that were followed.
    private let links: [FilePath]
    /// The process's own descriptor that the path leads to, if it is one.
    private let descriptor: CInt?

    init(_ name: String) {
        self.name = name
        let path = name.expandingHome
        let folder = path.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath + "/"
        do throws(FileError) {
            let found = try operations.resolve(FilePath(folder + path))
            (resolved, links) = (.success(found.resolved), found.links)
            descriptor = ByteStream.descriptor(at: found.resolved, through: found.links)
        } catch {
            (resolved, links, descriptor) = (.failure(error.cause), [], nil)
        }
    }

    /// Whether the path means standard output, as `/dev/stdout` does.
    var isOutput: Bool { descriptor == 1 }

    /// Whether the path means standard input, as `/dev/stdin` does.
    var isInput: Bool { descriptor == 0 }

    /// Reads a document from start to end: a pipe has each byte only once.
    func read() throws(CommandFailure) -> [UInt8] {
        do throws(SystemError) {
            guard let descriptor else { return try ByteStream.contents(of: FilePath(name.expandingHome)) }
            return try ByteStream(descriptor).readAll()
        } catch {
            throw failure("read", error)
        }
    }

    /// Writes a document.
    ///
    /// A file is replaced: others see either the old or the new contents. A link stays and leads to the new file, which
    /// has the permissions of the old one, and its owner as far as this user may set it. Anything else that exists, such
    /// as a pipe or a device, is written to. A link, a pipe or a file of another user in a folder such as `/tmp` is
    /// refused: see ``FileStatus/isPlanted(in:for:)``.
    ///
    /// - Parameter shown: The document as a terminal may show it.
    func write(
        _ bytes: [UInt8], onTerminal shown: () throws(CommandFailure) -> [UInt8]
    ) throws(CommandFailure) {
        let (path, current): (FilePath, FileStatus?)
        do throws(SystemError) {
            (path, current) = try target()
        } catch {
            throw failure("written", error)
        }
        if let descriptor { return try write(bytes, to: ByteStream(descriptor), shown) }
        switch current?.kind {
        case nil, .file: try replace(path, current, with: bytes)
        case .folder: throw failure("written", .isFolder)
        case .symbolicLink, .pipe, .socket, .device:
            var refusal: CommandFailure?
            do throws(SystemError) {
                try ByteStream.writing(to: path) { (stream) throws(SystemError) in
                    do throws(CommandFailure) {
                        try write(bytes, to: stream, shown)
                    } catch {
                        refusal = error
                    }
                }
            } catch {
                throw failure("written", error)
            }
            if let refusal { throw refusal }
        }
    }

    /// Returns the path to write to, without links, and the status of what is there.
    private func target() throws(SystemError) -> (path: FilePath, current: FileStatus?) {
        let path = try resolved.get()
        // The resolved path has lost it.
        guard !["/", "/.", "/.."].contains(where: "/\(name)".hasSuffix) else { throw .isFolder }
        for link in links { _ = try trustedStatus(at: link) }
        // The caller of the process has opened the descriptor.
        return (path, descriptor == nil ? try trustedStatus(at: path) : nil)
    }

    /// - Returns: `nil` if nothing is there.
    private func trustedStatus(at path: FilePath) throws(SystemError) -> FileStatus? {
        let (found, folder): (FileStatus, FileStatus)
        do throws(FileError) {
            guard let status = try operations.statusIfThere(at: path) else { return nil }
            (found, folder) = (status, try operations.status(at: path.folder))
        } catch {
            throw error.cause
        }
        guard !found.isPlanted(in: folder, for: geteuid()) else {
            throw SystemError(
                .permissionDenied,
                rule: "\(path.quoted) is \(found.kind) of another user, in a folder that everyone may write to")
        }
        return found
    }

    private func write(
        _ bytes: [UInt8], to stream: ByteStream, _ shown: () throws(CommandFailure) -> [UInt8]
    ) throws(CommandFailure) {
        let bytes = stream.isTerminal ? try shown() : bytes
        do throws(SystemError) {
            try stream.write(bytes)
        } catch {
            throw failure("written", error)
        }
    }

    private func replace(_ path: FilePath, _ current: FileStatus?, with bytes: [UInt8]) throws(CommandFailure) {
        let new = path.sibling(named: ".settle-\(UUID().uuidString)")
        do throws(FileError) {
            let file = try operations.open(new, .createNew(permissions: current == nil ? 0o666 : 0o600))
            do throws(FileError) {
                try fill(file, at: new, like: current, with: bytes)
                try operations.rename(new, to: path)
            } catch {
                try? operations.remove(new)
                throw error
            }
        } catch {
            throw failure("written", error.cause)
        }
        // Some folders can be written and not be read. The document is in place, whether or not that is known to last.
        try? operations.synchronizeFolder(path.folder)
    }

    private func fill(
        _ file: FileDescriptor, at path: FilePath, like current: FileStatus?, with bytes: [UInt8]
    ) throws(FileError) {
        do throws(FileError) {
            if let current { try keepAccess(of: current, for: file, at: path) }
            try operations.write(bytes, to: file, at: path)
            try operations.synchronize(file, at: path)
        } catch {
            try? operations.close(file, at: path)
            throw error
        }
        // Some file systems report a failed write only here.
        try operations.close(file, at: path)
    }

    private func keepAccess(
        of current: FileStatus, for file: FileDescriptor, at path: FilePath
    ) throws(FileError) {
        operations.keepOwner(current.owner, of: file, at: path)
        let group = try operations.status(of: file, at: path).owner.group
        var permissions = current.permissions
        if group != current.owner.group {
            // What one group may do is not meant for another, and its members are among the others now.
            permissions &= ~0o077 | (permissions >> 3 & permissions & 0o007)
        }
        try operations.setPermissions(of: file, at: path, to: permissions)
    }

    private func failure(_ action: String, _ cause: SystemError) -> CommandFailure {
        CommandFailure(.failed, "“\(name)” can't be \(action): \(cause).")
    }
}

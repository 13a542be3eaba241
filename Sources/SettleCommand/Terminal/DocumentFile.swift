import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file that a user names for a document, of whatever kind it is.
struct DocumentFile {
    private let operations = FileOperations(POSIXSystemCalls())
    /// The path as the user gave it.
    private let name: String
    /// The path without links; `nil` if they can't be followed.
    private let resolved: FilePath?
    /// The process's own descriptor that the path leads to, if it is one.
    private let descriptor: CInt?

    init(_ name: String) {
        self.name = name
        let path = name.expandingHome
        let folder = path.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath + "/"
        let found = try? operations.resolve(FilePath(folder + path))
        resolved = found?.resolved
        descriptor = found.flatMap { ByteStream.descriptor(at: $0.resolved, through: $0.links) }
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
    /// as a pipe or a device, is written to.
    ///
    /// - Parameter shown: The document as a terminal may show it.
    func write(
        _ bytes: [UInt8], onTerminal shown: () throws(CommandFailure) -> [UInt8]
    ) throws(CommandFailure) {
        guard let resolved else { throw failure("written", .tooManySymbolicLinks) }
        if let descriptor { return try write(bytes, to: ByteStream(descriptor), shown) }
        let current: FileStatus?
        do throws(FileError) {
            current = try operations.statusIfThere(at: resolved)
        } catch {
            throw failure("written", error.cause)
        }
        switch current?.kind {
        case nil, .file: try replace(resolved, current, with: bytes)
        case .folder: throw failure("written", .isFolder)
        case .symbolicLink, .pipe, .socket, .device:
            var refusal: CommandFailure?
            do throws(SystemError) {
                try ByteStream.writing(to: resolved) { (stream) throws(SystemError) in
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

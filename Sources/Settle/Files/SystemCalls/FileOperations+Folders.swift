extension FileOperations {
    /// Makes a folder and its missing parents, with permissions 0700 regardless of the process's umask.
    package func makeFolders(_ path: FilePath) throws(FileError) {
        do {
            try makeFolderIfMissing(path)
        } catch {
            guard error.cause == .notFound && path.folder != path else { throw error }
            try makeFolders(path.folder)
            try makeFolderIfMissing(path)
        }
    }

    private func makeFolderIfMissing(_ path: FilePath) throws(FileError) {
        do {
            try makeFolder(path)
        } catch {
            guard error.cause == .alreadyExists else { throw error }
            // Another process was faster, or a file has that name; opening a file in it will show which.
            return
        }
        try setPermissions(at: path, to: 0o700)
    }

    /// Syncs the names in a folder to stable storage.
    @inline(never) package func synchronizeFolder(_ path: FilePath) throws(FileError) {
        let folder = try open(path, .folder)
        do {
            try synchronize(folder, at: path)
        } catch {
            try? close(folder, at: path)
            // Some file systems can't sync folders at all and report these errors; nothing more can be done.
            guard error.cause == .invalidArgument || error.cause == .notSupported else { throw error }
            return
        }
        // Nothing was written through this descriptor, so closing it can lose nothing.
        try? close(folder, at: path)
    }

    /// Syncs the names of a folder and of those around it to stable storage.
    ///
    /// - Throws: ``FileError`` if a name may be lost. Any other error is ignored: folders that may not even be read were
    ///   made by others.
    package func synchronizeParents(of path: FilePath) throws(FileError) {
        var folder = path
        while folder.folder != folder {
            folder = folder.folder
            do throws(FileError) {
                try synchronizeFolder(folder)
            } catch {
                guard ![.inputOutput, .noSpace, .quotaExceeded].contains(error.cause) else { throw error }
            }
        }
    }

    /// Follows every symbolic link of an absolute path, even if nothing exists there yet.
    ///
    /// - Returns: The path without links, and the links in the order in which they were followed, each with its own
    ///   folder resolved.
    package func resolve(_ path: FilePath) throws(FileError) -> (resolved: FilePath, links: [FilePath]) {
        if try isWithoutLinks(path) { return (path, []) }
        var resolved = FilePath("/")
        var links: [FilePath] = []
        var rest: [String] = path.parts.reversed()
        while let name = rest.popLast() {
            switch name {
            case ".": continue
            case "..": resolved = resolved.folder
            default:
                let next = resolved.appending(name)
                guard let target = try linkTargetIfLink(next) else {
                    resolved = next
                    continue
                }
                links.append(next)
                guard links.count <= Self.linkLimit else {
                    throw FileError(action: "follow", path: path.text, cause: .tooManySymbolicLinks)
                }
                if target.isAbsolute { resolved = FilePath("/") }
                rest += target.parts.reversed()
            }
        }
        return (resolved, links)
    }

    private static let linkLimit = 40

    /// Returns whether an absolute path has neither links nor dots to follow, as nearly all paths. Makes no text but the
    /// paths to examine.
    private func isWithoutLinks(_ path: FilePath) throws(FileError) -> Bool {
        let bytes = path.text.utf8
        guard bytes.first == UInt8(ascii: "/") else { return false }
        var start = bytes.index(after: bytes.startIndex)
        while true {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
            // Also without a name, as behind two slashes.
            guard !bytes[start..<end].allSatisfy({ $0 == UInt8(ascii: ".") }),
                try linkTargetIfLink(FilePath(String(path.text[..<end]))) == nil
            else { return false }
            guard end < bytes.endIndex else { return true }
            start = bytes.index(after: end)
        }
    }

    private func linkTargetIfLink(_ path: FilePath) throws(FileError) -> FilePath? {
        do {
            return FilePath(try linkTarget(path))
        } catch {
            switch error.cause {
            case .invalidArgument, .notFound, .notFolder: return nil
            default: throw error
            }
        }
    }
}

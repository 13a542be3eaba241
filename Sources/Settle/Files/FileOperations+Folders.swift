extension FileOperations {
    /// Makes a folder and those above it that are missing, 0700 whatever the process's mask says.
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
            // Somebody else was faster, or it is no folder; opening a file in it will tell.
            return
        }
        try setPermissions(at: path, to: 0o700)
    }

    /// Moves the names in a folder to stable storage.
    package func synchronizeFolder(_ path: FilePath) throws(FileError) {
        let folder = try open(path, .folder)
        do {
            try synchronize(folder, at: path)
        } catch {
            try? close(folder, at: path)
            // Some file systems cannot sync a folder at all and say so with these; there is nothing more to be done.
            guard error.cause == .invalidArgument || error.cause == .notSupported else { throw error }
            return
        }
        // Nothing was written through this descriptor, so closing it has nothing to report.
        try? close(folder, at: path)
    }

    /// Where an absolute path leads after every symbolic link on the way, also when nothing is there yet.
    ///
    /// - Returns: The path without links, and the links in their order, each as a path without links but for itself.
    package func resolve(_ path: FilePath) throws(FileError) -> (resolved: FilePath, links: [FilePath]) {
        var resolved = FilePath("/")
        var links: [FilePath] = []
        var rest = path.text.split(separator: "/").reversed().map(String.init)
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
                if target.hasPrefix("/") { resolved = FilePath("/") }
                rest += target.split(separator: "/").reversed().map(String.init)
            }
        }
        return (resolved, links)
    }

    private static let linkLimit = 40

    private func linkTargetIfLink(_ path: FilePath) throws(FileError) -> String? {
        do {
            return try linkTarget(path)
        } catch {
            switch error.cause {
            case .invalidArgument, .notFound, .notFolder: return nil
            default: throw error
            }
        }
    }
}

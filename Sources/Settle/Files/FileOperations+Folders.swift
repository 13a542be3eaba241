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

    /// Where a path leads after every symbolic link at its end, also when nothing is there yet.
    package func followLinks(_ path: FilePath) throws(FileError) -> FilePath {
        var path = path
        for _ in 0..<40 {
            let target: String
            do {
                target = try linkTarget(path)
            } catch {
                guard error.cause == .invalidArgument || error.cause == .notFound else { throw error }
                return path
            }
            path = target.hasPrefix("/") ? FilePath(target) : path.sibling(named: target)
        }
        throw FileError(action: "follow", path: path.text, cause: .tooManySymbolicLinks)
    }
}

/// Puts damaged files aside, under separate names beside the settings file.
struct FilesPutAside: Sendable {
    /// The maximum number of damaged versions beside the file. One more is an error.
    private static let limit = 999

    let operations: FileOperations
    let names: FileNames

    /// Gives the damaged settings file a second name.
    ///
    /// - Returns: The name, which is durable; `nil` if another file has the settings file's name now.
    func link(_ damaged: FileStatus.Identity) throws(StorageError) -> FilePath? {
        do {
            for number in 1...Self.limit {
                let aside = names.corrupt(number)
                let claim = try claim(aside, for: names.file)
                let isDamagedFile = claim == .moved ? true : try operations.status(at: aside).identity == damaged
                if isDamagedFile {
                    // Even if the name was taken: then an earlier attempt was interrupted.
                    try operations.synchronizeFolder(names.folder)
                    return aside
                }
                if claim == .linked {
                    // Another file is at the path now, perhaps a good one.
                    try? operations.remove(aside)
                    return nil
                }
            }
        } catch {
            throw .unreadable(names.file, "it is damaged and can't be set aside: \(error)", errno: error.cause.number)
        }
        throw .unreadable(
            names.file, "it is damaged, and there are already \(Self.limit) damaged versions beside it")
    }

    private enum Claim {
        /// The name belongs to a file that was there before.
        case taken
        /// The file has both names.
        case linked
        /// The file has only the new name.
        case moved
    }

    private func claim(_ aside: FilePath, for file: FilePath) throws(FileError) -> Claim {
        do {
            try operations.link(file, to: aside)
        } catch {
            switch error.cause {
            case .alreadyExists: return .taken
            case .notPermitted, .notSupported, .tooManyLinks, .unimplemented: return try move(file, to: aside)
            default: throw error
            }
        }
        return .linked
    }

    /// Moves the file, on file systems without hard links. A crash afterwards leaves no file, but loses nothing: the
    /// journal has everything.
    private func move(_ file: FilePath, to aside: FilePath) throws(FileError) -> Claim {
        do {
            // A rename would replace the file with the name. The empty file makes sure that it replaces nothing else.
            let reserved = try operations.open(aside, .createNew(permissions: 0o600))
            try? operations.close(reserved, at: aside)
        } catch {
            guard error.cause == .alreadyExists else { throw error }
            return .taken
        }
        do {
            try operations.rename(file, to: aside)
        } catch {
            try? operations.remove(aside)
            throw error
        }
        return .moved
    }

    /// Gives any file another name that is free.
    ///
    /// - Returns: The new name.
    @discardableResult
    func move(_ path: FilePath, to name: (Int) -> FilePath) throws(FileError) -> FilePath {
        for number in 1...Self.limit {
            do {
                _ = try operations.status(at: name(number))
            } catch {
                guard error.cause == .notFound else { throw error }
                try operations.rename(path, to: name(number))
                return name(number)
            }
        }
        throw FileError(action: "set aside", path: path.text, cause: .alreadyExists)
    }

    /// Copies bytes durably to a file whose name is free.
    func copy(_ bytes: [UInt8], to name: (Int) -> FilePath) throws(FileError) {
        for number in 1...Self.limit where try copy(bytes, to: name(number)) { break }
    }

    /// - Returns: False if another file has the name. A file with the same bytes is the copy that was put aside before.
    private func copy(_ bytes: [UInt8], to path: FilePath) throws(FileError) -> Bool {
        do throws(FileError) {
            let file = try operations.open(path, .createNew(permissions: 0o600))
            defer { try? operations.close(file, at: path) }
            do throws(FileError) {
                try operations.write(bytes, to: file, at: path, offset: 0)
                try operations.synchronize(file, at: path)
            } catch {
                try? operations.remove(path)
                throw error
            }
            return true
        } catch {
            guard error.cause == .alreadyExists else { throw error }
            return (try? operations.read(path))?.bytes == bytes
        }
    }
}

extension FileStorage {
    /// How many damaged versions may stand beside the file before somebody has to look at them.
    private static let corruptLimit = 999

    /// Puts a damaged file aside and goes on with the version before it.
    ///
    /// The damaged file gets a second name first and loses the old one only when the earlier version is renamed over
    /// it. A crash in between leaves a damaged file, which the next load recovers from again; it never leaves no file,
    /// which would pass for settings that nobody has ever changed.
    ///
    /// - Returns: `nil` if somebody replaced the file since it was read.
    func recover(
        from damage: any Error, in reading: Reading, _ names: FileNames, _ state: inout FileStorageState
    ) throws(StorageError) -> StorageContents? {
        // First of all, because a version that can't be read today may be readable tomorrow.
        let earlier = try earlierVersion(names)
        guard let aside = try putAside(reading.identity, names) else { return nil }
        if let earlier {
            state.loaded(earlier.tree, from: names, .damaged, format: earlier.format)
            // If this fails, the next append writes everything.
            if let bytes = try? encode(state.tree, as: state.format) { try? save(bytes, .stable, &state) }
        } else {
            let standing = remove(names.file) ? FileStorageState.Standing.absent : .damaged
            state.loaded(SettingTree(), from: names, standing, format: chosenFormat ?? formatByName)
        }
        let consequence =
            earlier == nil
            ? "there is no earlier version, so every setting has its default"
            : "the version that was saved before it is used"
        return StorageContents(
            tree: earlier?.tree ?? SettingTree(),
            outcome: .recovered(
                description: "\"\(names.file)\" is damaged. \(damage) It was put aside as \"\(aside.name)\", and "
                    + "\(consequence)."))
    }

    /// - Returns: `nil` if there is none, or if it is damaged too.
    private func earlierVersion(_ names: FileNames) throws(StorageError) -> (tree: SettingTree, format: FileFormat)? {
        guard let reading = try read(names.previous), let tree = try? decode(reading.bytes) else { return nil }
        return (tree, format(toReplace: reading.bytes))
    }

    /// Whether the file is gone.
    private func remove(_ file: FilePath) -> Bool {
        do {
            try operations.remove(file)
            return true
        } catch {
            return error.cause == .notFound
        }
    }

    /// Gives the damaged file a name of its own beside its old one, for good.
    ///
    /// - Returns: `nil` if somebody replaced the file since it was read.
    private func putAside(_ damaged: FileStatus.Identity, _ names: FileNames) throws(StorageError) -> FilePath? {
        do {
            for number in 1...Self.corruptLimit {
                let aside = names.corrupt(number)
                let claim = try claim(aside, for: names.file)
                let isDamagedFile = claim == .moved ? true : try operations.status(at: aside).identity == damaged
                if isDamagedFile {
                    // Also when the name was taken: then a load before this one was interrupted.
                    try operations.synchronizeFolder(names.folder)
                    return aside
                }
                if claim == .linked {
                    // Another file stands there by now, perhaps a good one.
                    try? operations.remove(aside)
                    return nil
                }
            }
        } catch {
            throw .unreadable(names.file, "it is damaged and can't be put aside: \(error)", errno: error.cause.number)
        }
        throw .unreadable(
            names.file, "it is damaged, and \(Self.corruptLimit) damaged versions stand beside it already")
    }

    private enum Claim {
        /// The name belongs to a file that has been there before.
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

    /// The way without hard links. A file system without them has no earlier version either, so a crash after it,
    /// which leaves no file, loses nothing more.
    private func move(_ file: FilePath, to aside: FilePath) throws(FileError) -> Claim {
        do {
            // A rename would replace what has the name. The empty file makes sure that it replaces nothing else.
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
}

extension FileSession {
    /// How many damaged versions may stand beside the file before one more is an error.
    static let corruptLimit = 999

    /// Puts a damaged file aside and goes on with the newest good state: the version before it, and what the journal
    /// says has changed since.
    ///
    /// The damaged file gets a second name first and loses the old one only when a good version is renamed over it. A
    /// crash in between leaves a damaged file, which the next load recovers from again; it never leaves no file, which
    /// would pass for settings that were never changed.
    ///
    /// - Returns: `nil` if the file was replaced since it was read.
    mutating func recover(
        from damage: any Error, in reading: FileReading, _ log: JournalReading?
    ) throws(StorageError) -> StorageContents? {
        // First of all, because a version that can't be read today may be readable tomorrow.
        let earlier = try earlierVersion()
        guard let aside = try putAside(reading.status.identity) else { return nil }
        var tree = earlier?.tree ?? SettingTree()
        let records = log?.records ?? []
        let complete = JournalReplay.batches(from: earlier?.version ?? .absent, in: records)
        begin(with: log)
        let added = complete.map { JournalOverlay($0) } ?? contents.overlay
        added.apply(to: &tree)
        format = earlier?.format ?? chosenFormat ?? formatByName
        file.didPutAside(reading.version)
        repairs.add(.heal(tree))
        inForce.tree = tree
        let isWhole = log?.damage.isEmpty == true && !isCutOff(log, earlier?.version)
        var description =
            "“\(names.file)” is damaged. \(damage) It was set aside as “\(aside.name)”, and "
            + consequence(isComplete: complete != nil && isWhole, complete != nil, earlier != nil, tree, added.batch)
        // Before anything is written over it.
        if let log, !log.damage.isEmpty { description += " " + (try keepEvidence(of: log)) }
        // If it fails now, the next append does it.
        try? heal()
        return StorageContents(
            tree: tree, outcome: .recovered(description: description, isComplete: complete != nil && isWhole))
    }

    /// Whether the journal lacks its end, as far as anything shows: the last version of which it tells would be the
    /// damaged one.
    private func isCutOff(_ log: JournalReading?, _ earlier: FileVersion?) -> Bool {
        guard let log else { return false }
        let last = log.records.reversed().lazy.compactMap { record -> FileVersion? in
            switch record.record.content {
            case .checkpoint(let version, _), .checkpointed(let version, _), .edited(let version, _): version
            case .values, .kept, .history, .past: nil
            }
        }.first
        return log.isTorn || (earlier != nil && last == earlier)
    }

    /// What the recovered values are, in words that end a sentence.
    ///
    /// - Parameters:
    ///   - isJoined: Whether the journal continues the version before.
    ///   - added: What of the journal was put over it.
    private func consequence(
        isComplete: Bool, _ isJoined: Bool, _ hasEarlier: Bool, _ tree: SettingTree, _ added: JournalBatch
    ) -> String {
        if isComplete { return "the journal had all of it, so every setting has its newest value." }
        let keys = added.tree.map { $0.root.keys.sorted() } ?? added.entries.map(\.key.description)
        let list = keys.joined(separator: ", ")
        guard hasEarlier else {
            return tree.root.isEmpty
                ? "there is no earlier version, so every setting has its default."
                : "there is no earlier version, so every setting but those in the journal (\(list)) has its default."
        }
        let sentence = "the previous version is used"
        guard !keys.isEmpty else {
            return sentence + ", so settings that were saved only in the damaged one have their earlier values."
        }
        return sentence
            + (isJoined
                ? ", with the later changes in the rest of the journal (\(list)). All other settings have their earlier values."
                : ", and these keys have the values that the journal has beyond the damaged one: \(list). So the values come "
                    + "from two moments.")
    }

    /// Puts the recovered values in the damaged file's place.
    mutating func heal() throws(StorageError) {
        guard !journal.isLocked else { return try settle() }
        try acquire()
        release()
    }

    /// - Returns: `nil` if there is none, or if it is damaged too.
    func earlierVersion() throws(StorageError) -> (tree: SettingTree, format: FileFormat, version: FileVersion)? {
        guard let reading = try read(names.previous), let tree = try? decode(reading.bytes) else { return nil }
        return (tree, format(toReplace: reading.bytes), reading.version)
    }

    /// Gives the damaged file a name of its own beside its old one, for good.
    ///
    /// - Returns: `nil` if the file was replaced since it was read.
    private func putAside(_ damaged: FileStatus.Identity) throws(StorageError) -> FilePath? {
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
            throw .unreadable(names.file, "it is damaged and can't be set aside: \(error)", errno: error.cause.number)
        }
        throw .unreadable(
            names.file, "it is damaged, and there are already \(Self.corruptLimit) damaged versions beside it")
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

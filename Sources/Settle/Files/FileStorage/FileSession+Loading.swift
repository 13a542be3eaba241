extension FileSession {
    /// Reads the file and what the journal has beyond it.
    ///
    /// At first without the lock, so that a program that only reads needs no permission to write. What was read then
    /// may belong to different moments, if another process wrote meanwhile; whenever file and journal don't fit
    /// together exactly, they are read again under the lock.
    mutating func load() throws(StorageError) -> StorageContents {
        let resolved = try resolvedPlace()
        if resolved.names != names { journal.close() }
        place = resolved
        try checkNameLength()
        repairs.endRestoration()
        journal = JournalFile(operations, path: names.journal)
        var contents = try load(isLocked: false)
        var attempts = 3
        while contents == nil, attempts > 0 {
            attempts -= 1
            let isLocked = lockExisting()
            defer { if isLocked { journal.unlock() } }
            contents = try load(isLocked: true)
        }
        guard var contents else {
            throw .unreadable(names.file, "it is damaged, and other programs keep replacing it")
        }
        phase = .ready
        inForce.begin(with: contents.tree)
        contents.position = inForce.position
        contents.token = journal.token
        recent.begin(at: journal.token)
        return contents
    }

    /// Refuses a name beside which not all others find room, before anything relies on them.
    private func checkNameLength() throws(StorageError) {
        let length = names.file.name.utf8.count
        guard length > FileNames.lengthLimit else { return }
        throw .unreadable(
            path,
            "its name has \(length) bytes, and the limit is \(FileNames.lengthLimit), because the names of the files beside "
                + "it are longer")
    }

    func resolvedPlace() throws(StorageError) -> Place {
        do {
            let (resolved, links) = try operations.resolve(path)
            return Place(names: FileNames(resolved), links: links)
        } catch {
            throw .unreadable(path, error)
        }
    }

    /// Takes the lock for reading, if there is a journal and it can be taken.
    private mutating func lockExisting() -> Bool {
        guard journal.isOpen else { return false }
        return (try? journal.lock(timeout: &lockTimeout)) != nil
    }

    /// - Returns: `nil` if file and journal don't fit together, which only the lock makes sure, or if the file was
    ///   replaced while it was looked at.
    private mutating func load(isLocked: Bool) throws(StorageError) -> StorageContents? {
        // The file first: the journal, which is read later, then knows every version of it that this program wrote.
        var reading = try read(names.file)
        let log = try readJournalForLoad(isLocked: isLocked)
        if reading?.bytes.isEmpty == true, try hasNeverHadValues(log) { reading = nil }
        let version = reading?.version ?? .absent
        let replay = JournalReplay(records: log?.records ?? [], file: version)
        guard isLocked || log == nil || (replay.match == .current && log?.damage.isEmpty == true) else { return nil }
        var tree = SettingTree()
        if let reading {
            do {
                tree = try decode(reading.bytes)
            } catch {
                guard isLocked || log == nil else { return nil }
                return try recover(from: error, in: reading, log)
            }
        }
        format = reading.map { format(toReplace: $0.bytes) } ?? chosenFormat ?? formatByName
        file.didMerge(reading, version)
        begin(with: log)
        let ofFile = tree
        _ = replay.apply(to: &tree) { [self] in isSame($0, $1) }
        if replay.match != .current, log?.records.isEmpty == false {
            let difference = differenceFromEarlier(to: tree, log?.records ?? [])
            tell(ofEdit: version, leadingTo: tree, difference)
            if let difference { keepReplaced(by: difference) }
        }
        contents.overlay.learn(ofFile)
        let outcome: StorageContents.Outcome
        if let log, !log.damage.isEmpty {
            outcome = .recovered(description: try keepEvidence(of: log), isComplete: false)
        } else if reading == nil {
            outcome = try outcomeWithoutFile(log?.records ?? [], leadingTo: tree)
        } else if let mixture = mixture(of: ofFile, tree, replay.match, isTorn: log?.isTorn == true) {
            outcome = .recovered(description: mixture, isComplete: false)
        } else {
            outcome = .intact
        }
        return StorageContents(tree: tree, outcome: outcome)
    }

    /// Says that file and journal are of two moments, if the journal has changed a file that does not go with it. An
    /// edit after a crash can look the same; but then the file is none of those before, and the journal has its end.
    private func mixture(
        of file: SettingTree, _ result: SettingTree, _ match: JournalReplay.Match, isTorn: Bool
    ) -> String? {
        // Without the lock, another process may just be writing one of them.
        guard journal.isLocked, match == .known || (match == .edited && isTorn), file != result else { return nil }
        let difference = TreeDifference(from: file, to: result)
        let keys = difference.changes.map(\.key).sorted().map(\.description).joined(separator: ", ")
        let reason =
            match == .known
            ? "it is older than the last version in its journal"
            : "its journal does not contain this version, and the journal's end is missing"
        return "“\(names.file)” and its journal come from two moments: \(reason). The file is used, but these keys "
            + "have the journal's values: \(keys). If both come from a copy, check them."
    }

    private mutating func readJournalForLoad(isLocked: Bool) throws(StorageError) -> JournalReading? {
        isLocked && journal.isOpen ? try rereadJournal() : try readJournal()
    }

    func isSame(_ one: SettingValue?, _ other: SettingValue?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one == other || isSpelledAlike(one, other)
    }

    /// Begins to follow a journal from what was read of it.
    mutating func begin(with log: JournalReading?) {
        contents = JournalContents()
        repairs.beginJournal()
        for (_, record) in log?.records ?? [] { add(record.content) }
    }

    /// A record has been read or appended.
    mutating func add(_ record: JournalRecord.Content) {
        contents.add(record)
        if let transactions = record.transactions { contents.listed.add(transactions) }
        repairs.follow(record)
    }

    /// Tells the journal now, or before it is told anything else: what the record says counts in any case.
    ///
    /// - Returns: Its place in the history, if it has been told.
    @discardableResult
    mutating func tell(_ record: JournalRecord.Content) -> ChangeToken? {
        if journal.isLocked, (try? append(record)) != nil { return journal.token }
        repairs.tell(record)
        return nil
    }

    /// Tells the journal of an edit that no process has seen being made, before anything is told that was done in
    /// knowledge of it. All values, because what the file had before is not known any more.
    ///
    /// - Parameter difference: What it has changed, if that is known.
    mutating func tell(ofEdit version: FileVersion, leadingTo tree: SettingTree, _ difference: JournalBatch?) {
        var batch = JournalBatch(revision: 0, author: nil, entries: [], tree: tree)
        batch.transactions = transactions(ofEdit: difference)
        tell(.edited(version, batch))
        contents.overlay.add(edited: batch)
    }

    /// Tells the journal what another one had that is lost.
    mutating func tellAgain(_ lost: JournalOverlay) {
        var batch = lost.batch
        if !lost.isEmpty { batch.transactions = transactions(ofEdit: nil) }
        repairs.tell(.values(batch))
    }

    /// Copies a damaged journal, and makes sure that a new one takes its place.
    mutating func keepEvidence(of log: JournalReading) throws(StorageError) -> String {
        let aside = try setAside(log)
        // What was lost may have been in the middle.
        journal.leaveGap()
        repairs.add(.replaceJournal)
        if log.isUnusable {
            let copy = aside.map { " A copy was set aside as “\($0.name)”." } ?? ""
            return "The journal “\(journal.path)” is damaged from its first byte on, so nothing in it is used.\(copy)"
        }
        let keys = Set(log.damage.flatMap { $0.keys ?? [] }).sorted()
        let unnamed = log.damage.count { $0.keys == nil }
        var sentence = "The journal “\(journal.path)” is damaged. "
        if let aside { sentence += "A copy was set aside as “\(aside.name)”. " }
        if !keys.isEmpty {
            sentence += "These keys have earlier values: \(keys.map(\.description).joined(separator: ", ")). "
        }
        if unnamed > 0 {
            sentence +=
                "The keys of \(unnamed == 1 ? "one of its records" : "\(unnamed) of its records") are unknown. "
        }
        return sentence + "Everything else in it is used."
    }

    /// - Returns: `nil` where nothing can be written: then the journal stays as it is, too.
    private func setAside(_ log: JournalReading) throws(StorageError) -> FilePath? {
        do throws(StorageError) {
            for number in 1...Self.corruptLimit {
                if let aside = try copy(log.bytes, to: names.corruptJournal(number)) { return aside }
            }
        } catch {
            guard error.errno == SystemError.readOnlyFileSystem.number else { throw error }
        }
        return nil
    }

    /// - Returns: `nil` if another file has the name. One with the same bytes is what a load before this one has put
    ///   aside.
    private func copy(_ bytes: [UInt8], to path: FilePath) throws(StorageError) -> FilePath? {
        do throws(FileError) {
            let file = try operations.open(path, .createNew(permissions: 0o600))
            defer { try? operations.close(file, at: path) }
            do throws(FileError) {
                try operations.write(bytes, to: file, at: path)
                try operations.synchronize(file, at: path)
            } catch {
                try? operations.remove(path)
                throw error
            }
            return path
        } catch {
            guard error.cause == .alreadyExists else {
                throw .unreadable(
                    journal.path, "it is damaged and can't be set aside: \(error)", errno: error.cause.number)
            }
            return try read(path)?.bytes == bytes ? path : nil
        }
    }
}

extension FileSession {
    /// What stands at the file's path.
    enum Examination {
        /// The version that is known, or one that this program is just writing.
        case current
        case absent
        case edited(Reading, SettingTree)
        /// Nobody can use it. It has been reported.
        case unusable
    }

    /// Looks whether somebody has changed the file.
    mutating func examine() throws(StorageError) -> Examination {
        if let signature, rejected == nil, let status = try? fileStatus(), FileSignature(status) == signature {
            examinedSignature = signature
            return .current
        }
        examinedSignature = nil
        guard let reading = try readKnown() else {
            guard version != .absent else { return .current }
            repairs.add(.storeEverything)
            return .absent
        }
        isAbsenceKnown = false
        examinedSignature = FileSignature(reading.status)
        if reading.version == version || repairs.begun.contains(where: { $0.version == reading.version }) {
            rejected = nil
            // What is edited from now on is compared with this one.
            version = reading.version
            if repairs.begun.isEmpty, reading.isSettled { signature = FileSignature(reading.status) }
            return .current
        }
        if rejected?.version == reading.version { return .unusable }
        do {
            return .edited(reading, try decode(reading.bytes))
        } catch {
            reject(reading, error)
            return .unusable
        }
    }

    /// Leaves a version alone that can't be used, and says why.
    mutating func reject(_ reading: Reading, _ reason: any Error) {
        let error = StorageError(
            .unreadable,
            "\"\(names.file)\" can't be used as it is. \(reason) The last good values stay in force, and nothing is written over "
                + "it while it is so.")
        rejected = Rejected(version: reading.version, error: error)
        signature = nil
        announce(ExternalChange(.unusable(error)))
    }

    /// Takes in what somebody has edited: as a record in the journal, so that all processes see it at the same place among the
    /// changes.
    ///
    /// - Parameter tree: All values as they were known; gets the edited ones.
    mutating func takeIn(
        _ edited: SettingTree, from reading: Reading, over tree: inout SettingTree
    ) throws(StorageError) {
        guard overlay.tree == nil else {
            tree = try takeInByValues(edited, from: reading)
            return
        }
        let difference = difference(from: tree, to: edited, overlay)
        let batch = difference.batch
        format = format(toReplace: reading.bytes)
        note(reading, reading.version)
        examinedSignature = FileSignature(reading.status)
        let record = JournalRecord.Content.edited(reading.version, batch)
        // The values are good also if the journal can't be told now. It is told before it is told anything else.
        if !journal.isLocked || (try? append(record)) == nil { repairs.tell(record) }
        keepReplaced(by: batch) { [tree] key, _ in tree[key].map { .value($0) } ?? .absent }
        overlay.add(edited: batch)
        if !batch.entries.isEmpty {
            tree.apply(batch.values)
            announce(ExternalChange(.values(batch.values)))
        }
    }

    /// What somebody has edited.
    func difference(from tree: SettingTree, to edited: SettingTree, _ overlay: JournalOverlay) -> TreeDifference {
        var difference = TreeDifference(from: overlay.base(of: tree), to: edited) { isSpelledAlike($0, $1) }
        difference.leaveOutNewEmptyDictionaries { overlay.hasEntries(within: $0) }
        return difference
    }

    /// Takes in what somebody has edited when nobody can tell any more what the file had before: each key by the values that it
    /// has had.
    ///
    /// - Returns: All values.
    @discardableResult
    mutating func takeInByValues(_ edited: SettingTree, from reading: Reading) throws(StorageError) -> SettingTree {
        let end = journal.end
        let log = try rereadJournal()
        takeIn(log.records.filter { $0.offset >= end.offset })
        var tree = edited
        _ = JournalReplay(records: log.records, file: reading.version).apply(to: &tree) { [self] in isSame($0, $1) }
        format = format(toReplace: reading.bytes)
        note(reading, reading.version)
        examinedSignature = FileSignature(reading.status)
        tell(ofEdit: version, leadingTo: tree)
        announce(ExternalChange(.everything(tree)))
        return tree
    }

    /// What may have changed.
    struct Suspicion: OptionSet, Sendable {
        let rawValue: UInt8

        /// The journal has more records.
        static let journal = Suspicion(rawValue: 1)
        /// The file or the journal is another one, the file has other contents, or a link leads elsewhere.
        static let file = Suspicion(rawValue: 2)
        static let everything: Suspicion = [.journal, .file]
    }

    /// Looks for what others have done since the last time.
    mutating func look(for suspicion: Suspicion, since known: () -> SettingTree) throws(StorageError) {
        if suspicion.contains(.file) {
            try followSwappedLink()
        }
        if journal.isOpen { try takeInNew() }
        if suspicion.contains(.file), journal.isOpen, !journal.isLocked, (try? journal.isReplaced()) != false {
            leaveJournal()
        }
        if !journal.isOpen { _ = try fileErrors { (session) throws(FileError) in try session.journal.open() } }
        if journal.isOpen, !journal.isKnown { try goOver() }
        guard suspicion.contains(.file) else { return }
        // What could not be told when it was found out, and what has been removed.
        let isJournalMissing = !journal.isOpen && journal.end.generation != 0
        if !repairs.untold.isEmpty || repairs.isRestoring || isJournalMissing { doWhatIsLeft() }
        switch try examine() {
        case .edited: break
        case .absent:
            doWhatIsLeft()
            return
        case .current: return
        case .unusable: return secure(known())
        }
        // Again under the lock: somebody else may just be taking it in, or may be writing a version of his own. Who may not
        // write can have no lock, but takes in what he sees.
        let isLocked = (try? acquire()) != nil
        defer { if isLocked { release() } }
        guard case .edited(let reading, let edited) = try examine() else { return }
        var tree = known()
        undelivered.apply(to: &tree)
        try takeIn(edited, from: reading, over: &tree)
    }

    /// Gives up a journal that does not have its name any more. Under its lock, if that is to be had: its last words may just be
    /// written.
    private mutating func leaveJournal() {
        guard (try? acquire()) != nil else { return journal.close() }
        release()
    }

    /// Does under the lock what is to be done there. Who may not write can't have it; what fails is done by the next who can.
    private mutating func doWhatIsLeft() {
        do throws(StorageError) {
            try acquire()
            release()
        } catch {
            guard repairs.isRestoring, !isAbsenceKnown else { return }
            isAbsenceKnown = true
            announce(ExternalChange(.unusable(.removed(names.file, because: error))))
        }
    }

    /// Goes over to the journal that has been opened: under the lock, or its maker may be just writing the file. Who may not write
    /// can have no lock, but takes in what he sees.
    private mutating func goOver() throws(StorageError) {
        do throws(StorageError) {
            try acquire()
            release()
        } catch {
            guard journal.isOpen else { throw error }
            if !journal.isKnown { try takeInOther() }
        }
    }

    /// Whether others have appended to the journal.
    mutating func hasNews() -> Bool {
        guard journal.isOpen else { return true }
        return (try? journal.hasMore()) ?? true
    }

    /// The names whose changes matter, by folder: those of the file and the journal, and of each link on the way to them.
    var places: [FilePath: Set<String>] {
        var places: [FilePath: Set<String>] = [names.folder: [names.file.name, names.journal.name]]
        for link in links { places[link.folder, default: []].insert(link.name) }
        return places
    }

    /// Goes over to another file if the path is a symbolic link that leads to another one by now, with what was stored here and
    /// had not reached the file that the path led to before.
    mutating func followSwappedLink() throws(StorageError) {
        let resolved = try resolvedPath()
        guard resolved.names != names else {
            links = resolved.links
            return
        }
        // Between the old link and the new one there may be none.
        guard !journal.isLocked, (try? operations.status(at: resolved.names.file)) != nil else { return }
        let carried = overlay.beyond(try? read(names.file).map { try decode($0.bytes) })
        let contents = try load()
        var tree = contents.tree
        if !carried.isEmpty {
            carried.apply(to: &tree)
            repairs.tell(.values(carried.batch))
            overlay.add(carried.batch)
        }
        announce(ExternalChange(.everything(tree)))
    }
}

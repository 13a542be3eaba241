/// A journal's state beside the values: the versions that the readable file may have, the last good values, and the
/// history policy.
///
/// Pure: it is given each record in order, before its values are in force.
package struct JournalState: Sendable {
    /// A version of the readable file.
    package struct Mirror: Sendable {
        package var version: FileVersion
        /// The keys where it differs from the values in force, with its values.
        package var difference = MirrorDifference()
        /// The offset of the record after which it was written or read.
        package var offset = 0

        /// The mirror as a record has it.
        package var stored: JournalBase.Mirror { JournalBase.Mirror(version, difference.entries) }
    }

    /// The version that the file is known to have had, followed by those that were begun and have not been confirmed.
    package private(set) var mirrors: [Mirror]
    /// Values at keys before they were edited.
    package var kept = LastGoodValues()
    /// The history policy and its secrets; `nil` if the journal has no record of them.
    package var history: JournalHistory?
    /// The keys whose values its records list, for readers of the history.
    var listed = MentionedKeys()
    /// Whether a removal of the file has emptied the settings since the journal was begun.
    var isReset = false
    /// The keys that were secrets when the journal was begun: its history records have no values of them.
    private(set) var secretsOfPast: Set<SettingKey>?

    /// The keys of state, which are stored in a file of their own.
    package var stateFile = StateFile()
    /// The changes since this journal, or one before it, was begun where there was none, or since a removal.
    package var news: JournalBase.News?

    /// Creates the state without a journal: the file has everything.
    package init(of version: FileVersion = .absent) {
        mirrors = [Mirror(version: version)]
    }

    /// Whether versions of the file were begun that may or may not be there.
    package var hasBegun: Bool { mirrors.count > 1 }

    /// The version that was begun last, or the one that is known.
    var newestMirror: Mirror { mirrors[mirrors.count - 1] }

    /// Returns the newest mirror of a version.
    package func mirror(_ version: FileVersion) -> Mirror? { mirrors.last { $0.version == version } }

    /// Adds a record that has been read or appended.
    ///
    /// - Parameter tree: The values in force until then.
    package mutating func add(_ record: JournalRecord.Content, at offset: Int, over tree: SettingTree) {
        switch record {
        case .base(let base):
            mirrors = base.mirrors.map { Mirror($0, offset) }
            (secretsOfPast, isReset, news, stateFile) = (nil, false, base.news, StateFile())
        case .values(let batch):
            // Without a revision it is an edit by hand.
            if batch.revision == 0 { keepReplaced(by: batch, in: tree) } else { removeKept(writtenBy: batch) }
            willChange(batch, in: tree)
        case .edited(let mirror, let batch):
            keepReplaced(by: batch, in: tree)
            if mirror.isOfState {
                willChange(batch, in: tree)
                stateFile.didRead(Mirror(mirror, offset))
            } else {
                stateFile.willChange(batch, in: tree)
                mirrors = [Mirror(mirror, offset)]
            }
        case .united(let union):
            keepReplaced(by: union.batch, in: tree)
            willChange(union.batch, in: tree)
            // These versions have none of the journal's values.
            mirrors += union.mirrors.map { Mirror($0, 0) }
        case .mirroring(let version): mirrors.append(mirror(of: version, at: offset, over: tree))
        case .mirrored(let version): mirrors = [mirror(version) ?? mirror(of: version, at: offset, over: tree)]
        case .state(let keys): stateFile.add(keys, at: offset, over: tree)
        case .kept(let batch): kept.decide(batch)
        case .history(var new):
            // A journal with any history has this record at its beginning.
            secretsOfPast = secretsOfPast ?? new.secrets
            // Secrets stay secrets.
            new.secrets.formUnion(history?.secrets ?? [])
            history = new
        case .past: break
        }
        forgetMirrors()
        if let transactions = record.transactions { listed.add(transactions) }
        if record.isReset { (isReset, news) = (true, JournalBase.News()) } else { noteNews(record, over: tree) }
    }

    /// Forgets the oldest of too many versions that were begun and not confirmed. The first one is known.
    private mutating func forgetMirrors() {
        guard mirrors.count > JournalBase.mirrorLimit else { return }
        mirrors.removeSubrange(1...(mirrors.count - JournalBase.mirrorLimit))
    }

    private mutating func noteNews(_ record: JournalRecord.Content, over tree: SettingTree) {
        switch record {
        case .values(let batch): news?.write(batch)
        case .edited(_, let batch): news?.edit(batch, over: tree)
        case .united(let union): news?.unite(union, over: tree)
        case .base, .mirroring, .mirrored, .kept, .history, .state, .past: break
        }
        if news?.areFew == false { news = nil }
    }

    /// Returns a version of the readable file that has everything except state.
    private func mirror(of version: FileVersion, at offset: Int, over tree: SettingTree) -> Mirror {
        Mirror(version: version, difference: stateFile.absence(from: tree), offset: offset)
    }

    private mutating func willChange(_ batch: JournalBatch, in tree: SettingTree) {
        stateFile.willChange(batch, in: tree)
        for index in mirrors.indices {
            for entry in batch.entries { mirrors[index].difference.willChange(entry.key, in: tree) }
        }
    }

    /// Records which of its possible versions the file has.
    package mutating func decide(_ version: FileVersion) {
        mirrors = mirrors.filter { $0.version == version }.suffix(1)
    }

    /// Records that a journal has been begun with all values.
    package mutating func didBeginJournal(at offset: Int) {
        for index in mirrors.indices { mirrors[index].offset = offset }
        stateFile.didBeginJournal(at: offset)
        listed = MentionedKeys()
        (secretsOfPast, isReset) = (history?.secrets, false)
    }

    /// Records that the file has been removed.
    ///
    /// - Parameter tree: The remaining values.
    mutating func didReset(at offset: Int, _ tree: SettingTree) {
        didRead(.absent, at: offset, MirrorDifference(ofNoneFrom: tree))
        news = JournalBase.News()
    }

    /// Records that the file has been read.
    package mutating func didRead(_ version: FileVersion, at offset: Int, _ difference: MirrorDifference) {
        mirrors = [Mirror(version: version, difference: difference, offset: offset)]
    }

    // MARK: Last good values

    /// Removes the last good values at keys that a program has written: its value is in force, whatever was stored
    /// before.
    private mutating func removeKept(writtenBy batch: JournalBatch) {
        guard !kept.isEmpty else { return }
        for entry in batch.entries { kept.remove(at: entry.key) }
    }

    /// Preserves values that an edit has replaced. Values that were removed by hand are not wanted any more.
    private mutating func keepReplaced(by batch: JournalBatch, in tree: SettingTree) {
        for entry in batch.entries {
            if entry.value == nil {
                kept.remove(at: entry.key)
            } else if let value = tree[entry.key], value != entry.value {
                kept.add(value, at: entry.key)
            }
        }
    }
}

extension JournalBase.Mirror {
    init(_ known: JournalState.Mirror, isOfState: Bool) {
        self.init(known.version, known.difference.entries, isOfState: isOfState)
    }
}

extension JournalState.Mirror {
    init(_ stored: JournalBase.Mirror, _ offset: Int) {
        self.init(version: stored.version, difference: MirrorDifference(stored.difference), offset: offset)
    }
}

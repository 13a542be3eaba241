/// What a journal says beside the values: which versions the readable file may have, and what is kept.
///
/// Pure: it is told each record in its order, before its values are in force.
package struct JournalState: Sendable {
    /// A version of the readable file.
    package struct Mirror: Sendable {
        package var version: FileVersion
        /// Where it has other values than are in force.
        package var difference = MirrorDifference()
        /// Behind which record it was written or read.
        package var offset = 0

        /// As a record has it.
        package var stored: JournalBase.Mirror { JournalBase.Mirror(version, difference.entries) }
    }

    /// The version that the file is known to have had, and behind it those that were begun and have not been confirmed.
    package private(set) var mirrors: [Mirror]
    /// What stood at keys before they were edited.
    package var kept = LastGoodValues()
    /// What is kept of the past; `nil` if the journal says nothing of it.
    package var history: JournalHistory?
    /// The keys of which its records list values, to whoever asks for the past.
    var listed = MentionedKeys()
    /// Whether a removal of the file has emptied the settings since the journal was begun.
    var isReset = false
    /// The keys that were secrets when the journal was begun: what it keeps of the past has no values of them.
    private(set) var secretsOfPast: Set<SettingKey>?

    /// What is state, and stands in a file of its own.
    package var stateFile = StateFile()
    /// What has come since this journal, or one before it, was begun where there was none, or since a removal.
    package var news: JournalBase.News?

    /// Without a journal: the file has everything.
    package init(of version: FileVersion = .absent) {
        mirrors = [Mirror(version: version)]
    }

    /// Whether versions of the file were begun of which it is not known whether they are there.
    package var hasBegun: Bool { mirrors.count > 1 }

    /// The version that was begun last, or the one that is known.
    var newestMirror: Mirror { mirrors[mirrors.count - 1] }

    /// The newest mirror of a version.
    package func mirror(_ version: FileVersion) -> Mirror? { mirrors.last { $0.version == version } }

    /// A record has been read or appended.
    ///
    /// - Parameter tree: The values in force until then.
    package mutating func add(_ record: JournalRecord.Content, at offset: Int, over tree: SettingTree) {
        switch record {
        case .base(let base):
            mirrors = base.mirrors.map { Mirror($0, offset) }
            (secretsOfPast, isReset, news, stateFile) = (nil, false, base.news, StateFile())
        case .values(let batch):
            // Without a revision it is what somebody has changed without a program.
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
            // They have nothing of what the journal has.
            mirrors += union.mirrors.map { Mirror($0, 0) }
        case .mirroring(let version): mirrors.append(mirror(of: version, at: offset, over: tree))
        case .mirrored(let version): mirrors = [mirror(version) ?? mirror(of: version, at: offset, over: tree)]
        case .state(let keys): stateFile.add(keys, at: offset, over: tree)
        case .kept(let batch): kept.decide(batch)
        case .history(var new):
            // A journal that keeps anything says so at its beginning.
            secretsOfPast = secretsOfPast ?? new.secrets
            // A secret stays one.
            new.secrets.formUnion(history?.secrets ?? [])
            history = new
        case .past: break
        }
        if let transactions = record.transactions { listed.add(transactions) }
        if record.isReset { (isReset, news) = (true, JournalBase.News()) } else { noteNews(record, over: tree) }
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

    /// A version of the readable file that has everything but state.
    private func mirror(of version: FileVersion, at offset: Int, over tree: SettingTree) -> Mirror {
        Mirror(version: version, difference: stateFile.absence(from: tree), offset: offset)
    }

    private mutating func willChange(_ batch: JournalBatch, in tree: SettingTree) {
        stateFile.willChange(batch, in: tree)
        for index in mirrors.indices {
            for entry in batch.entries { mirrors[index].difference.willChange(entry.key, in: tree) }
        }
    }

    /// The file is one of the versions that it may have.
    package mutating func decide(_ version: FileVersion) {
        mirrors = mirrors.filter { $0.version == version }.suffix(1)
    }

    /// A journal has been begun with all values.
    package mutating func didBeginJournal(at offset: Int) {
        for index in mirrors.indices { mirrors[index].offset = offset }
        stateFile.didBeginJournal(at: offset)
        listed = MentionedKeys()
        (secretsOfPast, isReset) = (history?.secrets, false)
    }

    /// The file has been removed.
    ///
    /// - Parameter tree: What is left.
    mutating func didReset(at offset: Int, _ tree: SettingTree) {
        didRead(.absent, at: offset, MirrorDifference(ofNoneFrom: tree))
        news = JournalBase.News()
    }

    /// The file has been read.
    package mutating func didRead(_ version: FileVersion, at offset: Int, _ difference: MirrorDifference) {
        mirrors = [Mirror(version: version, difference: difference, offset: offset)]
    }

    // MARK: Kept values

    /// What a program has written is in force, whatever stood there before.
    private mutating func removeKept(writtenBy batch: JournalBatch) {
        guard !kept.isEmpty else { return }
        for entry in batch.entries { kept.remove(at: entry.key) }
    }

    /// Keeps what was edited away. What was removed by hand is not wanted any more.
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

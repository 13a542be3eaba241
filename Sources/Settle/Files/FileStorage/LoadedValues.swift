/// What a journal and the readable file say together when they are loaded.
///
/// Pure: it is told what was read.
struct LoadedValues: Sendable {
    private let records: [(offset: Int, record: JournalRecord)]
    private let damage: [JournalDamage]
    /// Whether there is a journal that tells anything.
    private let hasJournal: Bool
    private let hasBase: Bool
    /// Whether the journal shows that there has been a file.
    let hadFile: Bool
    /// Whether the journal shows that something has been stored.
    let hadValues: Bool
    /// Whether the end of the journal is missing, as after a crash.
    let isTorn: Bool

    private(set) var tree: SettingTree
    private(set) var state: JournalState
    /// Whether nothing is missing, as far as anything shows.
    private(set) var isWhole: Bool
    /// What has been edited while no process had the file open, and all values before that.
    private(set) var edit: (batch: JournalBatch, tree: SettingTree)?
    /// What the file of state has, if it is needed because the journal does not have all of it.
    private var remembered = SettingTree()
    /// Whether there is a file of state, whatever it has.
    private(set) var hasStateFile = false
    /// What has become of the file of state, if there was one.
    private(set) var stateLoss: StateLoss?

    enum StateLoss {
        case removed
        case damaged(any Error)
    }

    /// - Parameter log: Loses the values of its base.
    init(_ log: inout JournalReading?) {
        var replay = JournalReplay()
        if var reading = log {
            log = nil
            replay = JournalReplay(&reading)
            log = reading
        }
        records = log?.records ?? []
        damage = log?.damage ?? []
        hasJournal = !records.isEmpty || !damage.isEmpty
        (tree, state, hasBase) = (replay.tree, replay.state, replay.hasBase)
        isWhole = damage.isEmpty && (hasBase || !hasJournal)
        isTorn = log?.isTorn == true
        hadValues = records.contains { $0.record.batch != nil }
        hadFile = records.contains { _, record in
            switch record.content {
            case .base(let base): base.mirrors.contains { $0.version != .absent }
            case .mirrored(let version): version != .absent
            case .edited(let mirror, _): !mirror.isOfState
            case .values, .mirroring, .kept, .history, .united, .state, .past: false
            }
        }
    }

    /// The file is none of the versions that a whole journal tells of.
    mutating func join(
        _ file: SettingTree, _ version: FileVersion, _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) {
        guard hasJournal else {
            tree = file.with(remembered)
            // Without a file of state they are the same, and to compare them takes as long as to read the file.
            let isSameTree = remembered.root.isEmpty
            state.didRead(
                version, at: 0, isSameTree ? MirrorDifference() : MirrorDifference(from: tree, to: file, isSame))
            return
        }
        if let mirror = state.mirror(version), !isWhole {
            // The file has what was lost before it was written.
            isWhole = damage.allSatisfy { $0.offset < mirror.offset }
            continueFile(file, version, from: mirror.offset, isSame)
        } else if !hasBase {
            continueFile(file, version, from: state.newestMirror.offset, isSame)
        } else {
            let difference = state.edit(of: file, over: tree, isSame)
            edit = (difference, tree)
            let edited = tree.with(difference)
            let mirror = JournalBase.Mirror(version, MirrorDifference(from: edited, to: file, isSame).entries)
            state.add(.edited(mirror, difference), at: state.mirrors[0].offset, over: tree)
            tree = edited
        }
    }

    /// The file, and what stands in the journal behind a record.
    private mutating func continueFile(
        _ file: SettingTree, _ version: FileVersion, from offset: Int,
        _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) {
        tree = file
        for (place, record) in records where place > offset {
            guard let batch = record.batch else { continue }
            tree.apply(inOrder: batch.entries.lazy.map { ($0.key, $0.value) })
        }
        tree = tree.with(remembered)
        state.didRead(version, at: offset, MirrorDifference(from: tree, to: file, isSame))
    }

    /// The file has been removed: of the values those are left that it did not have.
    mutating func removeFile() {
        var rest = SettingTree()
        for key in state.mirrors[0].difference.values.keys.sorted() { rest[key] = tree[key] }
        edit = (TreeDifference(from: tree, to: rest).batch, tree)
        tree = rest
        state.didReset(at: state.mirrors[0].offset, rest)
    }

    /// The file is damaged, and the journal does not have all of it: an earlier version of the file is better than
    /// nothing.
    mutating func use(_ earlier: SettingTree) {
        isWhole = false
        guard hasBase else {
            tree = earlier.with(remembered)
            for (_, record) in records {
                guard let batch = record.batch else { continue }
                tree.apply(inOrder: batch.entries.lazy.map { ($0.key, $0.value) })
            }
            state.didRead(.absent, at: 0, MirrorDifference(ofNoneFrom: tree))
            return
        }
        let isKnown = damage.allSatisfy { $0.keys != nil }
        let lost = isKnown ? Array(damage.compactMap(\.keys).joined()) : earlier.leafKeys
        for key in lost where tree[key] == nil { tree[key] = earlier[key] }
        tree = tree.with(remembered)
    }

    // MARK: State

    /// Whether the file of state is to be read.
    var needsState: Bool { !isWhole || !hasJournal || state.stateFile.record != nil }

    /// Whether the file of state is a version of which the journal has everything.
    ///
    /// - Parameter version: `nil` if there is no such file.
    mutating func knowsState(_ version: FileVersion?) -> Bool {
        hasStateFile = version != nil
        guard isWhole, let known = version.flatMap(state.stateFile.version) else { return false }
        state.stateFile.didFind(known.version, isCertain: false, over: tree)
        return true
    }

    /// There is no file of state. Where the journal knows of none either, none has been written yet.
    mutating func findNoState() {
        if state.stateFile.isWritten { stateLoss = .removed }
        state.stateFile.didFind(nil, isCertain: false, over: tree)
    }

    mutating func findDamagedState(_ damage: any Error) {
        stateLoss = .damaged(damage)
        state.stateFile.didFind(nil, isCertain: false, over: tree)
    }

    /// - Returns: What the journal is to be told, if somebody has edited the file of state.
    mutating func joinState(
        _ content: SettingTree, _ version: FileVersion, _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) -> JournalRecord.Content? {
        guard isWhole && hasJournal else {
            remember(content, version, isSame)
            return nil
        }
        let record = state.stateFile.record(ofEdit: content, version, over: tree, isSame)
        state.add(record, at: 0, over: tree)
        if let batch = record.batch { tree = tree.with(batch) }
        return record
    }

    /// The journal does not have everything. What the file of state has counts, with what has come behind it.
    private mutating func remember(
        _ content: SettingTree, _ version: FileVersion, _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) {
        remembered = content
        if let known = state.stateFile.version(version) {
            // Where the version is known to differ, the journal has what is newer.
            for key in known.difference.values.keys.sorted() { remembered[key] = tree[key] }
        }
        tree = tree.with(remembered)
        let difference = MirrorDifference(from: remembered, to: content, isSame)
        state.stateFile.didImport(
            remembered, JournalState.Mirror(version: version, difference: difference), over: tree)
    }

    /// Whether the journal has all values, whatever the file has.
    var isComplete: Bool { hasBase && damage.isEmpty && !isTorn }
    var keys: [SettingKey] { Set(records.flatMap { $0.record.batch?.entries.map(\.key) ?? [] }).sorted() }
}

extension JournalState {
    /// What was edited in a file: the leaves that are in none of the versions which it may have had.
    func edit(
        of file: SettingTree, over tree: SettingTree, _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) -> JournalBatch {
        // A file that is there was made of a version that was written, if there is one, and not out of nothing.
        let written = mirrors.filter { $0.version != .absent }
        let known = (written.isEmpty ? mirrors : written).map { $0.difference.mirror(of: tree) }
        var difference = TreeDifference(from: known[0], to: file) { isSame($0, $1) }
        for other in known.dropFirst() { difference.leaveOut { key, value in isSame(other[key], value) } }
        return stateFile.sparing(difference.batch, in: tree)
    }
}

extension MirrorDifference {
    /// What a file has where it differs from the values in force.
    init(
        from tree: SettingTree, to file: SettingTree, _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) {
        self.init(
            TreeDifference(from: tree, to: file) { isSame($0, $1) }.changes.map {
                JournalEntry(key: $0.key, value: $0.new)
            })
    }
}

extension SettingTree {
    /// Whether a batch would change anything.
    func isChanged(by batch: JournalBatch) -> Bool {
        batch.entries.contains { self[$0.key] != $0.value }
    }

    /// The same with what stands at the keys of another one.
    func with(_ other: SettingTree) -> SettingTree {
        var tree = self
        for key in other.leafKeys { tree[key] = other[key] }
        return tree
    }

    /// The values behind a record.
    func with(_ batch: JournalBatch) -> SettingTree {
        var tree = self
        tree.apply(inOrder: batch.entries.lazy.map { ($0.key, $0.value) })
        return tree
    }
}

extension JournalBatch {
    func with(_ transactions: JournalTransactions?) -> JournalBatch {
        var batch = self
        batch.transactions = transactions
        return batch
    }
}

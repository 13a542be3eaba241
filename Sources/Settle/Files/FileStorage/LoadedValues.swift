/// The joint values of a journal and the readable file after a load.
///
/// Pure: it is given what was read.
struct LoadedValues: Sendable {
    private let records: [(offset: Int, record: JournalRecord)]
    private let damage: [JournalDamage]
    /// Whether there is a journal with any records or damage.
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
    /// The edit that was made while no process had the file open, and all values before it.
    private(set) var edit: (batch: JournalBatch, tree: SettingTree)?
    /// The values of the state file, if they are needed because the journal does not have all of them.
    private var remembered = SettingTree()
    /// Whether there is a state file, whatever its contents.
    private(set) var hasStateFile = false
    /// The loss of the state file, if there was one.
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

    /// Joins a file that is none of the versions that a whole journal records.
    mutating func join(
        _ file: SettingTree, _ version: FileVersion, _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) {
        guard hasJournal else {
            tree = file.with(remembered)
            // Without a state file they are the same, and comparing them takes as long as reading the file.
            let isSameTree = remembered.root.isEmpty
            state.didRead(
                version, at: 0, isSameTree ? MirrorDifference() : MirrorDifference(from: tree, to: file, isSame))
            return
        }
        if let mirror = state.mirror(version), !isWhole {
            // The file has the values that were lost before it was written.
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

    /// Takes the values of the file, and those of the journal's records after an offset.
    private mutating func continueFile(
        _ file: SettingTree, _ version: FileVersion, from offset: Int,
        _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) {
        tree = file
        for (place, record) in records where place > offset {
            guard let batch = record.batch else { continue }
            tree.apply(batch)
        }
        tree = tree.with(remembered)
        state.didRead(version, at: offset, MirrorDifference(from: tree, to: file, isSame))
    }

    /// Removes the values of the removed file. Only values that it did not have are left.
    mutating func removeFile() {
        var rest = SettingTree()
        for key in state.mirrors[0].difference.values.keys.sorted() { rest[key] = tree[key] }
        edit = (TreeDifference(from: tree, to: rest).batch, tree)
        tree = rest
        state.didReset(at: state.mirrors[0].offset, rest)
    }

    /// Uses an earlier version of the file: the file is damaged, and the journal does not have all values, so that
    /// version is better than nothing.
    mutating func use(_ earlier: SettingTree) {
        isWhole = false
        guard hasBase else {
            tree = earlier.with(remembered)
            for (_, record) in records {
                guard let batch = record.batch else { continue }
                tree.apply(batch)
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

    /// Whether the state file has to be read.
    var needsState: Bool { !isWhole || !hasJournal || state.stateFile.record != nil }

    /// Returns whether the state file has a version of which the journal has everything.
    ///
    /// - Parameter version: `nil` if there is no such file.
    mutating func knowsState(_ version: FileVersion?) -> Bool {
        hasStateFile = version != nil
        guard isWhole, let known = version.flatMap(state.stateFile.version) else { return false }
        state.stateFile.didFind(known.version, isCertain: false, over: tree)
        return true
    }

    /// Records that there is no state file. If the journal knows of none either, none has been written yet.
    mutating func findNoState() {
        if state.stateFile.isWritten { stateLoss = .removed }
        state.stateFile.didFind(nil, isCertain: false, over: tree)
    }

    mutating func findDamagedState(_ damage: any Error) {
        stateLoss = .damaged(damage)
        state.stateFile.didFind(nil, isCertain: false, over: tree)
    }

    /// - Returns: The journal record, if the file of state was edited.
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

    /// Takes the values of the state file, and later ones of the journal, which does not have everything.
    private mutating func remember(
        _ content: SettingTree, _ version: FileVersion, _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) {
        remembered = content
        if let known = state.stateFile.version(version) {
            // Where the version is known to differ, the journal has the newer value.
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
    /// Returns the edit of a file: the leaves that are in none of the versions which it may have had.
    func edit(
        of file: SettingTree, over tree: SettingTree, _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) -> JournalBatch {
        // An existing file was edited from a version that was written, if there is one, and not made from nothing.
        let written = mirrors.filter { $0.version != .absent }
        let known = (written.isEmpty ? mirrors : written).map { $0.difference.mirror(of: tree) }
        var difference = TreeDifference(from: known[0], to: file) { isSame($0, $1) }
        for other in known.dropFirst() { difference.leaveOut { key, value in isSame(other[key], value) } }
        return stateFile.sparing(difference.batch, in: tree)
    }
}

extension MirrorDifference {
    /// Creates the values of a file at the keys where they differ from those in force.
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
    /// Returns whether a batch would change anything.
    func isChanged(by batch: JournalBatch) -> Bool {
        batch.entries.contains { self[$0.key] != $0.value }
    }

    /// Returns the tree with the values at the keys of another one.
    func with(_ other: SettingTree) -> SettingTree {
        var tree = self
        for key in other.leafKeys { tree[key] = other[key] }
        return tree
    }

    /// Returns the values after a record.
    func with(_ batch: JournalBatch) -> SettingTree {
        var tree = self
        tree.apply(batch)
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

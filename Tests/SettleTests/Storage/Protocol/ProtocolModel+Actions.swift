/// What processes, people and failures do in the model.
extension ProtocolModel.State {
    typealias Rules = Set<ProtocolModel.Rule>

    /// Whether a file is missing.
    var isAmiss: Bool { files.file == nil || files.journal == nil }

    // MARK: A process

    /// Under the lock: what others have appended is in force here, what a dead one has left is decided, and an edit
    /// comes before what is appended next.
    mutating func enter(_ index: Int, _ rules: Rules) throws {
        if files.journal == nil { try files.apply(.begin(processes[index].known), by: index) }
        try restoreValues(index)
        if rules.contains(.resolves) { try resolve(index, rules) }
        if rules.contains(.mergesEdits), let journal = files.journal, !journal.mirrors.contains(files.file) {
            try files.apply(.edited(files.file), by: index)
            didMergeEdits()
        }
        if files.file == nil { try restoreFile(index) }
        hasOvertakenEdit = hasOvertakenEdit || !edited.isEmpty
        processes[index].phase = .ready
        read(index)
    }

    /// Finds out which of the versions that the file may have it has.
    private mutating func resolve(_ index: Int, _ rules: Rules) throws {
        guard let journal = files.journal, journal.mirrors.count > 1 else { return }
        if rules.contains(.mergesDisplaced) { try mergeDisplaced(index) }
        guard journal.mirrors.contains(files.file) else { return }
        try files.apply(.syncFolder, by: index)
        try files.apply(.mirrored(files.file), by: index)
    }

    mutating func settle(_ index: Int, _ rules: Rules) throws {
        if rules.contains(.mergesDisplaced) { try mergeDisplaced(index) }
        processes[index].phase = .settled
    }

    /// Merges what was edited in a file that has been exchanged.
    private mutating func mergeDisplaced(_ index: Int) throws {
        guard files.hidesEdit, let journal = files.journal, let displaced = files.displaced else { return }
        let edits = displaced.filter { key, value in !journal.mirrors.contains { $0?[key] == value } }
        try files.apply(.append(edits), by: index)
        add(edits)
        edited = edited.filter { edits[$0.key] != $0.value }
    }

    mutating func set(_ key: String, _ index: Int, _ rules: Rules) throws {
        try files.apply(.append([key: next]), by: index)
        truth[key] = next
        next += 1
        budget.writes -= 1
        if rules.contains(.syncs) { try files.apply(.sync, by: index) }
        stable = truth.mapValues { [$0] }
        read(index)
    }

    mutating func renew(_ index: Int) throws {
        guard let journal = files.journal else { return }
        try files.apply(.begin(journal), by: index)
        budget.renewals -= 1
    }

    mutating func leave(_ index: Int) throws {
        read(index)
        try files.apply(.unlock, by: index)
        processes[index].phase = .idle
    }

    private mutating func read(_ index: Int) {
        if let journal = files.journal { processes[index].known = journal }
    }

    private mutating func didMergeEdits() {
        add(edited)
        edited = [:]
    }

    private mutating func add(_ values: ProtocolState.Values) {
        truth.merge(values) { $1 }
        for (key, value) in values { stable[key]?.insert(value) }
    }

    /// Takes the lock and gives it up.
    mutating func look(_ index: Int) throws {
        try files.apply(.lock, by: index)
        try enter(index, Set(ProtocolModel.Rule.allCases))
        try leave(index)
    }

    // MARK: Removals

    /// A process that knew less has begun the journal: what only this one knew is put beside that.
    private mutating func restoreValues(_ index: Int) throws {
        let known = processes[index].known
        guard let journal = files.journal, known.position > journal.position else { return }
        let missing = known.tree.filter { journal.tree[$0.key] ?? 0 < $0.value }
        if !missing.isEmpty { try files.apply(.append(missing), by: index) }
    }

    private mutating func restoreFile(_ index: Int) throws {
        if files.journal?.mirrors.contains(nil) != true { try files.apply(.edited(nil), by: index) }
        for step in [ProtocolState.Step.mirroring, .sync, .exchange, .syncFolder] { try files.apply(step, by: index) }
        try files.apply(.mirrored(files.file), by: index)
    }

    mutating func removeFile() {
        (budget.removals, isDisturbed) = (budget.removals - 1, true)
        (files.file, files.stableFile) = (nil, nil)
        edited = [:]
    }

    /// Whoever has it open can read it to its end.
    mutating func removeJournal() {
        (budget.removals, isDisturbed) = (budget.removals - 1, true)
        for index in processes.indices where processes[index].isAlive { read(index) }
        (files.journal, files.stableJournal) = (nil, nil)
    }

    // MARK: People and failures

    mutating func edit(_ key: String) {
        files.file?[key] = next
        files.stableFile = files.file
        edited[key] = next
        next += 1
        budget.edits -= 1
    }

    mutating func kill(_ index: Int) {
        budget.kills -= 1
        processes[index].isAlive = false
        processes[index].phase = .idle
        if files.lock == index { files.giveUp() }
    }

    mutating func losePower(_ losesJournal: Bool, _ losesNames: Bool) {
        isOff = true
        files.lock = nil
        if losesJournal { files.journal = files.stableJournal }
        if losesNames { files.file = files.stableFile }
    }
}

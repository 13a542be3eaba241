import Settle
import SettleTesting

/// What people do to the files, and what ends processes.
extension InterleavedFile {
    func performByHand(_ action: Action, by actor: Int, _ start: Int) throws {
        switch action {
        case .edit(let key, let value): try edit(key, value, in: readByHand(), start)
        case .editInPlace(let key, let value): try edit(key, value, in: readByHand(), start, inPlace: true)
        case .openEditor: log.withLock { $0.editors[actor] = readByHand() }
        case .saveEditor(let key, let value): try edit(key, value, in: log.withLock { $0.editors[actor] }, start)
        case .remove(let files): remove(files, by: actor)
        case .moveFolderAway:
            disturbByRemoval()
            try? disk.renameFile(names.stateFolder.text, to: "/trash")
        case .backUp(let files):
            for file in files {
                step(actor)
                let bytes = contents(of: file)
                log.withLock { $0.backup[file] = bytes }
            }
        case .restore(let files, let inPlace): try restore(files, inPlace: inPlace, by: actor)
        case .kill(let other): calls[other].kill()
        case .losePower:
            let found = (disk.disksAfterLossOfPower(limit: 6, seed: seed), log.withLock { $0 })
            afterPowerLoss.withLock { $0 = found }
            for other in calls.indices where other != actor { calls[other].kill() }
        default: break
        }
    }

    // MARK: Edits

    private func path(_ file: Gone) -> FilePath {
        switch file {
        case .file: names.file
        case .journal: names.journal
        case .previous: names.previous
        }
    }

    private func contents(of file: Gone) -> [UInt8]? { SettingsPerson(path: path(file)).contents(of: disk) }

    private func readByHand() -> SettingTree? {
        contents(of: .file).flatMap { try? FileFormat.json.decode($0) }
    }

    /// Saves a text with another value, if there is a file to be saved.
    private func edit(
        _ key: String, _ value: Int64?, in text: SettingTree?, _ start: Int, inPlace: Bool = false
    ) throws {
        guard var tree = text, let bytes = contents(of: .file) else { return }
        let now = try FileFormat.json.decode(bytes)
        tree.apply([.path(key): value.map { .integer($0) }])
        let note = "// \(start)\n"
        let isFirst = log.withLock { log in
            log.editing += 1
            return log.editing == 1
        }
        try put(Array(note.utf8) + FileFormat.json.encode(tree), at: .file, inPlace: inPlace)
        trace?.didEdit()
        log.withLock { log in
            log.editing -= 1
            // Of two that are saved at the same time, either may be the last one.
            log.note = isFirst && log.editing == 0 ? note : ""
            // What was removed may also be missing from a version that a process was about to put there.
            let isCertain = value != nil && (Self.closesRenameWindow || log.checkpointing.isEmpty && !log.isDisturbed)
            // What a process displaces in that moment is only in its journal after that.
            let isStable = log.checkpointing.isEmpty
            log.writes.edit(value, at: key, start, isCertain: isCertain, isStable: isStable)
            // Whether an old text is compared with the version that it was read from depends on what stands there.
            for other in log.writes.keys where other != key {
                let (old, new) = (tree.integer(other), now.integer(other))
                if old != new { log.writes.edit(old, at: other, start, isCertain: false) }
            }
        }
    }

    /// Whether no edit is lost that is made just before a process puts another version in the file's place.
    static let closesRenameWindow = true

    private func put(_ bytes: [UInt8], at file: Gone, inPlace: Bool) throws {
        guard inPlace else { return try SettingsPerson(path: path(file)).write(bytes, on: disk) }
        let operations = FileOperations(disk)
        let open = try operations.open(path(file), .updateOrCreate(permissions: 0o600))
        defer { try? operations.close(open, at: path(file)) }
        // What is written in between by a process that is just appending can't be guarded against.
        guard file != .journal || (try? operations.lock(open, at: path(file))) != nil else { return }
        try operations.write(bytes, to: open, at: path(file))
        try operations.truncate(open, at: path(file), to: bytes.count)
        try operations.synchronize(open, at: path(file))
    }

    // MARK: Removals and backups

    private func remove(_ files: [Gone], by actor: Int) {
        for file in files {
            step(actor)
            if file != .previous { disturbByRemoval() }
            try? disk.removeFile(path(file).text)
        }
    }

    /// What has been removed comes back if all that have had it open keep it open until the end. Otherwise nobody may
    /// have it any more.
    private func disturbByRemoval() {
        let opened = log.withLock { log in
            log.isDisturbed = true
            log.writes.removeEdits()
            return log.opened
        }
        let isKept = opened.allSatisfy { actor in
            processes[actor].withLock { $0.map { !$0.isReadOnly } ?? false }
                && !scripts[actor].contains(where: \.isClose)
                && !scripts.joined().contains { $0.kills(actor) }
        }
        if !isKept || opened.isEmpty { disturb() }
    }

    private func restore(_ files: [Gone], inPlace: Bool, by actor: Int) throws {
        let copies = log.withLock { $0.backup }
        for file in files {
            guard let bytes = copies[file] else { continue }
            step(actor)
            // What a process is about to put in the file's place has that name for a moment.
            let isWritten = inPlace && log.withLock { !$0.checkpointing.isEmpty }
            if file != .previous || isWritten { disturb() }
            try put(bytes, at: file, inPlace: inPlace)
        }
    }

    private func disturb() {
        let time = time
        log.withLock { log in
            log.isDisturbed = true
            log.writes.disturb(time)
        }
    }
}

extension SettingTree {
    func integer(_ name: String) -> Int64? {
        if case .integer(let number)? = self[.path(name)] { number } else { nil }
    }
}

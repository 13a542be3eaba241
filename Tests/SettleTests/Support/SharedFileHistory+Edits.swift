import Foundation
import Settle
import SettleTestSupport
import SettleTesting

/// Edits and removals by hand, of the settings and of the state.
extension SharedFileHistory {
    private mutating func editState() throws {
        let editor = SettingsPerson(path: names.state)
        guard model.edit.isEmpty, !model.isBroken, !editsStrayState,
            var tree = editor.contents(of: disk).flatMap({ try? FileFormat.json.decode($0) }),
            let key = Self.keys.filter(isState).randomElement(using: &random)
        else { return }
        count += 1
        tree[key] = .integer(count)
        try editor.write(FileFormat.json.encode(tree), on: disk)
        note("Somebody edits [\(key): \(count)] in the state")
        (editsState, mayHaveSeenEdit) = (true, processes.contains(where: \.holdsEdit))
        model.edit([key: .integer(count)])
    }

    /// Somebody removes or damages the file of state.
    mutating func disturbState() {
        // A removal by an edit may not be on stable storage yet.
        guard !editsState, let bytes = SettingsPerson(path: names.state).contents(of: disk) else { return }
        if below(2) == 0 {
            note("Somebody removes the state")
            try? disk.removeFile(names.state.text)
        } else {
            note("Somebody damages the state")
            try? SettingsPerson(path: names.state).write(Array(bytes.prefix(bytes.count / 2)), on: disk)
        }
    }

    // MARK: Edits and removals

    mutating func editFile() throws {
        if !state.isEmpty, !model.isBroken, below(3) == 0 { return try editState() }
        let isAbsent = person.contents(of: disk) == nil
        // Creating a file that never existed can't be distinguished from recreating a removed one.
        guard !isAbsent else { return }
        count += 1
        var values: [SettingKey: SettingValue?] = [:]
        let candidates = removable.filter { person.known[$0] != nil || !model.isBroken }.sorted()
        if below(3) == 0, let key = candidates.randomElement(using: &random) {
            values.updateValue(nil, forKey: key)
            removable.remove(key)
        } else {
            let key = Self.keys[below(Self.keys.count)]
            // Which of two edits of a key in two files is the later one, nobody can tell.
            if isState(key), editsState { return }
            if isState(key) { editsStrayState = true }
            values.updateValue(.integer(count), forKey: key)
        }
        try person.edit(values, on: disk)
        note("Somebody edits \(shown(values))")
        model.isBroken = false
        if model.edit.isEmpty { mayHaveSeenEdit = false }
        // It holds a part of what is edited.
        if processes.contains(where: \.holdsEdit) { mayHaveSeenEdit = true }
        model.edit(values)
    }

    mutating func breakFile() throws {
        guard !model.isBroken, !editsState, person.contents(of: disk) != nil else { return }
        // If a process may have seen the edit, it is unknown whether it was merged before the file was broken.
        guard model.edit.isEmpty || !mayHaveSeenEdit else { return }
        if mayLackEdits {
            let copy = disk.diskAfterProcessCrash()
            try person.breakFile(on: copy)
            mayLackEdits = try !isSame(FileStorage(at: layout.url, calls: copy).load().tree, model.taken)
            guard !mayLackEdits else { return }
        }
        try person.breakFile(on: disk)
        note("Somebody breaks the file")
        model.isBroken = true
    }

    /// Removes some of the files. A process that has looked just before notices and stores everything again, whatever
    /// the others know.
    mutating func removeFiles() throws {
        guard !processes.isEmpty, !model.isBroken else { return }
        let index = below(processes.count)
        guard try takeIn(index) == .done else { return }
        var gone = [names.file, names.journal, names.previous].filter { _ in below(2) == 0 }
        if gone.isEmpty { gone = [names.file, names.journal] }
        for path in gone { try? disk.removeFile(path.text) }
        if gone.contains(names.file) { person.forgetNote() }
        note("Somebody removes \(gone.map(\.name).joined(separator: ", "))")
        let isFaulty = hasFaults
        hasFaults = false
        defer { hasFaults = isFaulty }
        if below(2) == 0 || !processes[index].pending.isEmpty {
            try ask(index)
        } else {
            try checkpoint(index)
        }
        if gone.contains(names.file) { removable = Set(Self.keys.filter { !isState($0) && model.mended[$0] != nil }) }
    }
}

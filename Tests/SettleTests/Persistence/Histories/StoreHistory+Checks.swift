import Settle
import SettleTesting

/// The person's edits, and the checks of what must be found.
extension StoreHistory {
    func edit() throws {
        guard !isFileLocked, let bytes = person.contents(of: disk), let file = try? FileFormat.json.decode(bytes) else {
            return
        }
        try guardian.lock()
        defer { guardian.unlock() }
        count += 1
        let key = StoreHistoryKeys.all[below(StoreHistoryKeys.all.count)]
        let value = below(4) == 0 ? nil : count
        let former = Self.values(in: file)[key]
        // A key that the last checkpoint did not have may be missing because the file is older than the journal.
        guard value != nil || former.map({ ledger.isSettled(key, at: $0) && !edited.contains($0) }) == true else {
            return
        }
        if let value { edited.insert(value) }
        note("somebody edits \(key): \(value.map(String.init) ?? "nothing")")
        ledger.record([key: value], by: StoreHistoryLedger.person)
        try person.edit([SettingKey(stored: key): value.map { .integer(Int64($0)) }], on: disk)
    }

    /// Removes some of the files. The next flush must notice, and store again what all stores have.
    func removeFilesSometimes() async {
        guard let roll = removals?.next(), roll % 8 == 0, !isFileLocked, members.allSatisfy({ $0.hold == nil }) else {
            return
        }
        let names = FileNames(person.path)
        let subsets = [
            [names.file], [names.journal], [names.file, names.journal], [names.file, names.journal, names.previous],
        ]
        let gone = subsets[Int(roll >> 8) % subsets.count]
        for member in members { member.heal() }
        // Other stores' values arrive within milliseconds, however late this machine runs their threads. A store that
        // has not heard of them yet would make a file without them, until the others are told of that.
        tell()
        for member in members { await member.fetch() }
        await settle()
        guard !isFileLocked else { return }
        guard
            let member = members.filter({ !$0.isWriting && !$0.isClosing && !$0.hasTasks }).randomElement(
                using: &random)
        else { return }
        note("somebody removes \(gone.map(\.name).joined(separator: ", "))")
        for path in gone { try? disk.removeFile(path.text) }
        await flush(member)
    }

    func lookFromOutside() {
        do {
            try ledger.check(by: "a fresh load") { try peek() }
        } catch {
            ledger.report("A fresh load throws: \(error)")
        }
    }

    /// What a process started now would find.
    func peek() throws -> [String: Int] {
        Self.values(in: try FileStorage(at: SharedFileHistory.url, calls: disk.diskAfterProcessCrash()).load().tree)
    }

    static func values(in tree: SettingTree) -> [String: Int] {
        let numbers = SettingTreeText.leaves(of: tree).compactMap { key, value -> (String, Int)? in
            if case .integer(let number)? = value { (key.description, Int(number)) } else { nil }
        }
        return Dictionary(uniqueKeysWithValues: numbers)
    }

    /// Finishes everything that is under way.
    func end() async {
        for member in members {
            member.heal()
            member.hold?.release()
            member.hold = nil
            await member.endWriting()
        }
        for member in members { await member.collect() }
        await removeClosed()
    }

    func quiesce() async throws {
        note("everything comes to its end")
        await end()
        for member in members { member.heal() }
        try check()
        for member in members {
            tell()
            await flush(member)
        }
        for member in members {
            tell()
            guard let store = member.store else { continue }
            await run(member, "takes in what there is") { try await store.commit {} }
        }
        ledger.acknowledge(StoreHistoryLedger.person)
        try check()
        let found = try peek()
        ledger.check(by: "in the end, a fresh load") { found }
        try check()
        for member in members {
            guard let store = member.store else { continue }
            let values = Self.values(of: store, member.settings)
            guard values == found else {
                throw Violation(description: "\(member.name) has \(shown(values)), and the file \(shown(found))")
            }
            // The file may be behind: its last checkpoint may have failed while the journal has everything.
            guard store.status.oldestUnsavedChange == nil else {
                throw Violation(description: "\(member.name) is \(store.status) after a flush")
            }
        }
        for member in members { try await checkPast(of: member) }
        ledger.settle(found)
        note("all find \(shown(found))")
    }

    /// Each transaction has left what the next one has replaced, and the last of them what is there.
    private func checkPast(of member: StoreHistoryMember) async throws {
        guard keepsHistory, let store = member.store else { return }
        var tree = try FileStorage(at: SharedFileHistory.url, calls: disk.diskAfterProcessCrash()).load().tree
        var end = store.history.token?.position
        for try await entry in store.history.entries() {
            // Removed files have taken with them what comes before.
            guard entry.isKnown, entry.token.position == end else { return }
            // What is inside another key comes behind that.
            for change in entry.changes.reversed() {
                let key = SettingKey(stored: change.key)
                guard StoredForm(tree[key]) == StoredForm(change.newValue) else {
                    let now = SettingTreeText.text(tree[key])
                    throw Violation(
                        description: "\(member.name) tells of \(entry.token.position) \(change), which leads to \(now)")
                }
                tree[key] = change.oldValue
            }
            end = entry.token.position - entry.count
        }
    }

    func closeAll() async throws {
        let found = try peek()
        for member in members { await close(member) }
        try check()
        guard members.isEmpty else { throw Violation(description: "Not all stores could be closed.") }
        guard let bytes = person.contents(of: disk) else {
            guard found.isEmpty else { throw Violation(description: "There is no file.") }
            return
        }
        let file = Self.values(in: try FileFormat.json.decode(bytes))
        guard file == found else {
            throw Violation(description: "The file has \(shown(file)) instead of \(shown(found))")
        }
    }

    func shown(_ values: [String: Int]) -> String {
        "[" + values.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", ") + "]"
    }
}

/// What is stored at a key; an empty dictionary is nothing.
private struct StoredForm: Equatable {
    let value: SettingValue?

    init(_ value: SettingValue?) { self.value = value == .dictionary([:]) ? nil : value }
}

import SettleTestSupport

@testable import Settle
@testable import SettleTesting

/// A random history of stores that share a file with a kept history, while somebody edits values into it that can't be
/// used.
final class UnusableValueHistory {
    typealias Violation = StoreHistory.Violation

    private struct Member {
        let number: Int
        let store: SettingsStore
        let settings: UnusableValueSettings
    }

    private static let values: [SettingValue] = [
        .integer(99), .integer(-1), .string("many"), .bool(true), .array([]), .integer(4), .integer(15), .integer(0),
    ]

    private var disk = SimulatedDisk()
    private var random: SeededGenerator
    private var person = SettingsPerson(path: FilePath(SharedFileHistory.path))
    private var model = UnusableValueModel()
    private var members: [Member] = []
    private var log = HistoryLog()
    private var count = 0
    private let journalLimit: Int
    /// The keys that were edited while no store was open: of two such edits, the first one was never found.
    private var unseen: Set<String> = []
    /// Whether the file is the one of the journal, or a store is open to make it so.
    private var isAtRest = true
    /// Whether one of these edits has changed something.
    private var hasUnseenEntry = false

    private init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        journalLimit = seed % 2 == 0 ? 700 : FileStorage.journalLimit
        disk.makeStableFolder("/home")
    }

    static func run(seed: UInt64, steps: Int) async throws {
        let history = UnusableValueHistory(seed: seed)
        do {
            try await history.open()
            for _ in 0..<steps {
                try await history.step()
                try await history.check()
            }
            try await history.checkEntries()
            try await history.closeAll()
            try await history.open()
            try await history.check()
            try await history.closeAll()
        } catch {
            for member in history.members { try? await member.store.close() }
            throw Violation(
                description: "\(error)\nThe history of unusable values with the seed \(seed):\(history.log)")
        }
    }

    private func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    // MARK: Steps

    private func step() async throws {
        guard let member = members.randomElement(using: &random) else {
            return try await below(3) == 0 && unseen.count < 2 ? edit() : open()
        }
        switch below(20) {
        case 0..<6: try await edit()
        case 6..<13: try await write(member)
        case 13..<17: try await undo(member)
        case 17: try await members.count < 2 ? open() : closeAll()
        case 18: try await closeAll()
        default: try await kill()
        }
    }

    private func open() async throws {
        let storage = FileStorage(at: SharedFileHistory.url, calls: FaultySystemCalls(disk), journalLimit: journalLimit)
        let store = try await SettingsStore.open(
            storage: storage, configuration: .init(history: .keep(), clock: ManualClock()))
        count += 1
        members.append(Member(number: count, store: store, settings: try await store.group()))
        let number = count
        log.note("S\(number) opens")
        (unseen, hasUnseenEntry, isAtRest) = ([], false, true)
    }

    private func closeAll() async throws {
        log.note("all stores are closed")
        for member in members { try await member.store.close() }
        members = []
    }

    private func kill() async throws {
        for member in members { try await member.store.flush() }
        let image = disk.image
        try await closeAll()
        (disk, isAtRest) = (SimulatedDisk(image), false)
        log.note("they were killed before")
    }

    private func edit() async throws {
        // The text that is edited has to be of now.
        for member in members { try await member.store.file.flush() }
        let key = UnusableValueSettings.keys[below(3)]
        guard isAtRest, !unseen.contains(key) else { return }
        let value: SettingValue? =
            switch below(6) {
            case 0: nil
            // Only the text changes.
            case 1: model.stored[key]
            default: Self.values[below(Self.values.count)]
            }
        guard value != nil || model.stored[key] != nil else { return }
        log.note("somebody edits \(key): \(value.map { "\($0)" } ?? "nothing")")
        try person.edit([SettingKey(stored: key): value], on: disk)
        let count = model.entries.count
        model.edit(key, value, isJoined: hasUnseenEntry)
        guard members.isEmpty else { return }
        unseen.insert(key)
        if model.entries.count > count { hasUnseenEntry = true }
    }

    private func write(_ member: Member) async throws {
        let write = UnusableValueWrite.allCases[below(UnusableValueWrite.allCases.count)]
        var values: [String: Int] = [:]
        for _ in 0...below(2) {
            let key = UnusableValueSettings.keys[below(3)]
            let candidates = [UnusableValueSettings.defaults[key] ?? 0, model.inForce[key] ?? 0, below(21)]
            values[key] = candidates[below(3)]
        }
        log.note("S\(member.number) writes \(values) (\(write))")
        try await write.perform(values, in: member.store, member.settings)
        if UnusableValueWrite.removals.contains(write) {
            model.remove(Array(values.keys))
        } else {
            model.write(values)
        }
        if below(2) == 0 { try await member.store.flush() }
    }

    private func undo(_ member: Member) async throws {
        let entries = try await self.entries(of: member)
        guard !model.entries.isEmpty, entries.count == model.entries.count else { return }
        // A late one, most of the time.
        let index = max(0, model.entries.count - 1 - below(below(3) == 0 ? 10 : 3))
        let force = below(4) == 0
        let expected = model.undo(index, force: force)
        log.note("S\(member.number) undoes \(entries[index])\(force ? " by force" : ""): \(expected)")
        do {
            let result = try await member.store.history.undo(entries[index].token, force: force)
            let found = UnusableValueModel.Undo.done(result.keys, conflicts: result.conflicts.map(\.key))
            guard found == expected else { throw Violation(description: "The undo tells \(result).") }
        } catch let error as SettingsError {
            guard expected == .refused, entries[index].changes.contains(where: { $0.key == error.key }) else {
                throw error
            }
        }
    }

    // MARK: Checks

    /// What all stores and the file have, once each store has what the others and the user have written.
    private func check() async throws {
        for member in members { try await member.store.flush() }
        for member in members { try await member.store.commit {} }
        for member in members {
            for (key, value) in model.inForce {
                let found = member.settings.setting(at: key).value
                guard found == value else {
                    throw Violation(description: "S\(member.number) has \(found) at \(key) instead of \(value).")
                }
                let hasProblem = member.store.keys.setting(forKey: key)?.problem != nil
                guard hasProblem == model.isUnusable(key) else {
                    throw Violation(description: "S\(member.number) has \(hasProblem ? "a" : "no") problem at \(key).")
                }
            }
        }
        let tree = try FileStorage(at: SharedFileHistory.url, calls: disk.diskAfterProcessCrash()).load().tree
        for key in UnusableValueSettings.keys where tree[SettingKey(stored: key)] != model.stored[key] {
            throw Violation(
                description: "The file has \(SettingTreeText.text(tree[SettingKey(stored: key)])) at \(key) instead of "
                    + SettingTreeText.text(model.stored[key]))
        }
        try await checkEntries()
    }

    private func entries(of member: Member) async throws -> [HistoryEntry] {
        var entries: [HistoryEntry] = []
        for try await entry in member.store.history.entries() { entries.append(entry) }
        return entries.reversed()
    }

    private func checkEntries() async throws {
        guard let member = members.last else { return }
        let found = try await entries(of: member)
        let changes = found.map { entry in
            Dictionary(
                uniqueKeysWithValues: entry.changes.map {
                    ($0.key, UnusableValueModel.Change(old: $0.oldValue, new: $0.newValue))
                })
        }
        guard changes != model.entries else { return }
        let list = found.map { "\n  \($0.changes)" }.joined()
        throw Violation(description: "The history has\(list)\ninstead of\n  \(model.entries)")
    }
}

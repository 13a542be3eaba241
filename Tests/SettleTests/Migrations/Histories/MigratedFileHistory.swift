import SettleTestSupport

@testable import Settle
@testable import SettleTesting

/// A random history of an app that is shipped again and again, whose versions open a file on a simulated disk, write,
/// and die at any moment.
final class MigratedFileHistory {
    typealias Violation = MigrationHistory.Violation

    /// What happens to the machine in an opening or after it.
    private enum Accident: CaseIterable { case kill, powerLoss }

    private static let path = FilePath(SharedFileHistory.path)

    private var app: ShippedApp
    private var disk = SimulatedDisk()
    private var person = SettingsPerson(path: path)
    private var file = ShippedFile()
    private var log = HistoryLog()
    /// Whether the last store was closed, so that the file has everything.
    private var isAtRest = true
    /// Whether a loss of power leaves everything: a process that is killed may have written what it has not synced, and
    /// the removal of a key by hand is only certain once a store has stored it.
    private var isStable = true
    private let history: HistoryPolicy

    private init(seed: UInt64) {
        app = ShippedApp(seed: seed)
        history = seed % 2 == 0 ? .keep() : .unchanged
        disk.makeStableFolder("/home")
    }

    static func run(seed: UInt64, steps: Int) async throws {
        let history = MigratedFileHistory(seed: seed)
        do {
            for _ in 0..<3 { try history.edit() }
            for _ in 0..<steps { try await history.step() }
        } catch {
            throw Violation(description: "\(error)\nThe history of a file with the seed \(seed):\(history.log)")
        }
    }

    private func step() async throws {
        switch app.below(10) {
        case 0..<3: app.ship(for: file)
        case 3: try edit()
        case 4: try editRecord()
        case 5: try await useTool()
        default: try await open()
        }
        try file.check(peek())
    }

    /// What a process that is started now would find.
    private func peek() throws -> SettingTree {
        try FileStorage(at: SharedFileHistory.url, calls: disk.diskAfterProcessCrash()).load().tree
    }

    // MARK: The user

    private func edit() throws {
        guard isAtRest else { return }
        let key = app.below(4) == 0 ? app.key(in: file) : app.key()
        let spelling = app.spelling(of: key)
        let value = app.below(5) == 0 ? nil : app.value()
        if value == nil { isStable = false }
        log.note("somebody edits \(spelling.components): \(value.map { "\($0)" } ?? "nothing")")
        try person.edit([spelling: value?.stored], on: disk)
        file.values = try ShippedFile.values(in: person.known)
    }

    private func editRecord() throws {
        guard isAtRest, let record = file.editRecord(by: &app, log: &log) else { return }
        try person.edit([ShippedFile.recordKey: record], on: disk)
    }

    // MARK: Openings

    /// A store that is not told of what others do.
    private func store(_ migrations: [SettingsMigration]?) async throws -> SettingsStore {
        let storage = FileStorage(
            at: SharedFileHistory.url, calls: FaultySystemCalls(disk), watching: ManualFileWatching())
        return try await SettingsStore.open(
            storage: storage, configuration: .init(history: history, clock: ManualClock()), migrations: migrations)
    }

    /// A program without a list of migrations writes as it likes.
    private func useTool() async throws {
        log.note("a tool opens")
        let store = try await store(nil)
        try await write(in: store, try await store.group(at: "notes"))
        try await end(store)
    }

    private func open() async throws {
        let version = app.version()
        let expected = file.opened(with: version.list)
        log.note("\(version.text) opens: \(expected)")
        if app.below(4) == 0 { return try await crash(opening: version, expected) }
        let before = person.contents(of: disk)
        let store: SettingsStore
        do {
            store = try await self.store(version.migrations)
        } catch let error as SettingsError {
            guard error.code == .migrationFailed else { throw error }
            try expected.check(error.description, key: error.key)
            guard !isAtRest || person.contents(of: disk) == before else {
                throw Violation(description: "A refused opening writes the file.")
            }
            return try mend(expected)
        }
        let notes: ShippedNotes = try await store.group(at: "notes")
        switch expected {
        case .current(let new):
            try checkVersionBefore(new)
            file = new
            try check(store)
            if app.below(4) == 0, try await overtake(store, notes) { break }
            try await write(in: store, notes)
            try await end(store)
        case .older:
            try check(store)
            try await expectRefusals(by: store, notes)
        default: throw Violation(description: "It opens.")
        }
    }

    private func mend(_ opening: ShippedFile.Opening) throws {
        guard isAtRest, case .failed(_, let key) = opening, file.values[key] != nil, app.below(2) == 0 else { return }
        log.note("somebody removes \(key)")
        let removals = ShippedFile.spellings(of: key).map { ($0, SettingValue?.none) }
        try person.edit(Dictionary(uniqueKeysWithValues: removals), on: disk)
        isStable = false
        file.values[key] = nil
    }

    /// Opens, and ends at some moment of it: the values are those before, or those after all steps.
    private func crash(opening version: ShippedApp.Version, _ expected: ShippedFile.Opening) async throws {
        let isLate = app.below(3) == 0
        let moments = LockedValue((random: SeededGenerator(seed: app.random.next()), count: 0, image: disk.image))
        disk.observe { moment in
            moments.withLock { state in
                state.count += 1
                if state.random.next() % UInt64(state.count) == 0 { state.image = moment.image }
            }
        }
        let store = try? await self.store(version.migrations)
        disk.observe(nil)
        let image = isLate ? disk.image : moments.withLock { $0.image }
        try? await store?.close()
        let accident = lose(SimulatedDisk(image))
        log.note(isLate && store != nil ? "\(accident) right after the opening" : "\(accident) in it")
        let found = try peek()
        guard case .current(let new) = expected else { return }
        do {
            try new.check(found)
            file = new
        } catch {
            if isLate { throw error }
            try file.check(found)
        }
    }

    /// Makes the disk what a crash leaves.
    private func lose(_ image: SimulatedDisk) -> Accident {
        let accident = isStable ? app.element(of: Accident.allCases) : .kill
        (disk, isAtRest, isStable) = (image, false, accident == .powerLoss)
        guard isStable else { return accident }
        disk = app.element(of: image.disksAfterLossOfPower(limit: 4, seed: app.random.next()))
        return accident
    }

    /// Closes a store, or saves everything and dies.
    private func end(_ store: SettingsStore) async throws {
        guard app.below(4) == 0 else {
            try await store.close()
            (isAtRest, isStable) = (true, true)
            return
        }
        try await store.flush()
        isStable = true
        let image = SimulatedDisk(disk.image)
        try await store.close()
        let accident = lose(image)
        log.note("\(accident) after a flush")
    }

    // MARK: Reading and writing

    private func check(_ store: SettingsStore) throws {
        for (key, value) in file.values {
            let found: ShippedValue? =
                switch value {
                case .number: try store.keys.value(forKey: key, as: Int.self).map { .number($0) }
                case .text: try store.keys.value(forKey: key, as: String.self).map { .text($0) }
                }
            guard found == value else {
                throw Violation(description: "The store has \(String(describing: found)) at \(key), not \(value).")
            }
        }
    }

    private func checkVersionBefore(_ new: ShippedFile) throws {
        guard isAtRest, new.recorded.count > file.recorded.count, !(file.values.isEmpty && file.recorded.isEmpty) else {
            return
        }
        let kept = SettingsPerson(path: Self.path.sibling(named: ".settings.json.before-migration"))
        guard let bytes = kept.contents(of: disk) else { throw Violation(description: "No version before is kept.") }
        try file.check(FileFormat.json.decode(bytes))
    }

    private func write(in store: SettingsStore, _ notes: ShippedNotes) async throws {
        for _ in 0..<app.below(3) {
            let (write, key) = (app.element(of: ShippedWrite.allowed), app.key(in: file))
            // Of two spellings, the other one is in force after a removal.
            if write == .removal, try ShippedFile.ambiguousKeys(in: peek()).contains(key) { continue }
            let written = try await write.perform(app.nextCount(), at: key, in: store, notes)
            log.note("it writes (\(write)) \(written)")
            file.values[written.key] = written.value
        }
    }

    private func expectRefusals(by store: SettingsStore, _ notes: ShippedNotes) async throws {
        for _ in 0..<3 {
            let (write, key) = (app.element(of: ShippedWrite.allCases), app.key(in: file))
            do {
                _ = try await write.perform(app.nextCount(), at: key, in: store, notes)
                guard write == .plainAssignment else {
                    throw Violation(description: "An older version writes (\(write)) \(key).")
                }
            } catch let error as SettingsError {
                guard error.isOfOlderVersion else { throw error }
            }
        }
        try check(store)
        try? await store.close()
        isAtRest = true
        try file.check(peek())
    }

    /// A newer version opens the file while the older one has it open, which writes nothing from then on.
    private func overtake(_ store: SettingsStore, _ notes: ShippedNotes) async throws -> Bool {
        let list = app.steps
        guard case .current(let new) = file.opened(with: list), new.recorded.count > file.recorded.count else {
            return false
        }
        log.note("meanwhile version \(list.count) opens")
        try await self.store(list.map { $0.migration(isRenamed: false) }).close()
        (file, isStable) = (new, true)
        if app.below(2) == 0 {
            // It need not know yet.
            let key = app.key(in: file)
            log.note("it writes \(key) all the same")
            try? store.keys.setValue(app.nextCount(), forKey: key)
            try? await store.flush()
            try file.check(peek())
        }
        let commit = app.below(2) == 0 ? ShippedWrite.commit : .groupCommit
        do {
            _ = try await commit.perform(app.nextCount(), at: app.key(in: file), in: store, notes)
            throw Violation(description: "The older version commits.")
        } catch let error as SettingsError {
            guard error.isOfOlderVersion else { throw error }
        }
        _ = try? await app.element(of: ShippedWrite.allCases).perform(
            app.nextCount(), at: app.key(in: file), in: store, notes)
        try? await store.close()
        isAtRest = true
        return true
    }
}

extension SettingsError {
    fileprivate var isOfOlderVersion: Bool { (underlying as? StorageError)?.code == .migrated }
}

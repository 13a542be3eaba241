import Settle
import SettleTesting

/// Follows the system calls of real processes through the protocol, and says where they leave it.
///
/// Each call that matters is a step of ``ProtocolState``: taking the lock of the journal that has its name, each record
/// that is appended, an exchange, a sync. After each, the journal on the disk must have the values that the protocol
/// says.
final class ProtocolTrace: Sendable {
    typealias Values = ProtocolState.Values

    /// What a process has done.
    enum Event: Sendable {
        case locked(FileDescriptor)
        /// Before the lock is given up, if there is one.
        case unlocking(FileDescriptor)
        case written(FileDescriptor)
        case synchronized(FileDescriptor)
        case renamed(to: String)
        case exchanged
    }

    private struct State: Sendable {
        var files = ProtocolState([:])
        /// How many records of the journal have been followed.
        var count = 0
        var versions: [FileVersion: Values] = [:]
        /// What the file is about to become, as the journal says.
        var announced: FileVersion?
        var steps: [String] = []
        var refusal: String?
    }

    private let disk: SimulatedDisk
    private let names: FileNames
    private let state = LockedValue(State())

    /// Begins with what the disk has.
    init(_ disk: SimulatedDisk, _ names: FileNames) {
        (self.disk, self.names) = (disk, names)
        state.withLock { state in
            guard let file = contents(names.file, &state), let (journal, count) = journal(&state) else { return }
            (state.files, state.count) = (ProtocolState(file), count)
            (state.files.journal, state.files.stableJournal) = (journal, journal)
        }
    }

    /// Where the processes have left the protocol, and how they got there.
    var refusal: String? {
        state.withLock { state in state.refusal.map { "\($0)\n  " + state.steps.joined(separator: "\n  ") } }
    }

    var count: Int { state.withLock { $0.steps.count } }

    /// Somebody has saved another text.
    func didEdit() {
        state.withLock { state in
            state.files.file = contents(names.file, &state)
            state.files.stableFile = state.files.file
        }
    }

    func didEnd(_ actor: Int) {
        state.withLock { state in
            if state.files.lock == actor { state.files.giveUp() }
        }
    }

    func observe(_ event: Event, by actor: Int) {
        state.withLock { state in
            guard state.refusal == nil else { return }
            do {
                for step in try steps(event, actor, &state) {
                    state.steps.append("\(actor): \(step)")
                    try state.files.apply(step, by: actor)
                }
                try compare(&state)
            } catch {
                state.refusal = "\(error)"
            }
        }
    }

    // MARK: Steps

    private func steps(_ event: Event, _ actor: Int, _ state: inout State) throws -> [ProtocolState.Step] {
        switch event {
        case .locked(let file): return isNamed(names.journal, file) ? [.lock] : []
        case .unlocking(let file):
            return state.files.lock == actor && isNamed(names.journal, file) ? [.unlock] : []
        case .synchronized(let file):
            if isNamed(names.folder, file) { return state.files.lock == actor ? [.syncFolder] : [] }
            // Needs no lock, since it changes nothing that others see.
            if isNamed(names.journal, file) { state.files.stableJournal = state.files.journal }
            return []
        case .exchanged:
            let bytes = SettingsPerson(path: names.file).contents(of: disk) ?? []
            guard FileVersion(of: bytes) == state.announced else {
                throw ProtocolState.Refusal(description: "The journal does not know what is in the file's place")
            }
            return [.exchange]
        case .renamed(let path):
            guard path == names.journal.text, let (journal, count) = journal(&state) else { return [] }
            state.count = count
            return [.begin(journal)]
        case .written(let file): return isNamed(names.journal, file) ? try newSteps(&state) : []
        }
    }

    /// The records that have been appended.
    private func newSteps(_ state: inout State) throws -> [ProtocolState.Step] {
        let records = records()
        defer { state.count = records.count }
        _ = contents(names.file, &state)
        return try records.dropFirst(state.count).compactMap { _, record -> ProtocolState.Step? in
            switch record.content {
            case .values(let batch): return .append(batch.values.integers)
            case .united(let union): return .append(union.batch.values.integers)
            case .edited(let mirror, _): return .edited(try values(of: mirror.version, state))
            case .mirroring(let version):
                // Whether it has these values, its bytes show once they are in the file's place.
                state.versions[version] = JournalReplay(records).tree.integers
                state.announced = version
                return .mirroring
            case .mirrored(let version): return .mirrored(try values(of: version, state))
            case .base, .kept, .history, .state, .past: return nil
            }
        }
    }

    private func values(of version: FileVersion, _ state: State) throws -> Values? {
        if version == .absent { return nil }
        guard let values = state.versions[version] else {
            throw ProtocolState.Refusal(description: "There was never such a file")
        }
        return values
    }

    private func compare(_ state: inout State) throws {
        let (journal, file) = (journal(&state)?.journal, contents(names.file, &state))
        guard journal?.tree == state.files.journal?.tree, file == state.files.file else {
            throw ProtocolState.Refusal(
                description: "The disk has \(journal?.tree ?? [:]) and \(file ?? [:]) instead of "
                    + "\(state.files.journal?.tree ?? [:]) and \(state.files.file ?? [:])")
        }
    }

    // MARK: The disk

    private func isNamed(_ path: FilePath, _ file: FileDescriptor) -> Bool {
        guard let status = try? disk.status(of: file) else { return false }
        return status.identity == (try? disk.status(at: path.text))?.identity
    }

    private func contents(_ path: FilePath, _ state: inout State) -> Values? {
        guard let bytes = SettingsPerson(path: path).contents(of: disk), let tree = try? FileFormat.json.decode(bytes)
        else { return nil }
        state.versions[FileVersion(of: bytes)] = tree.integers
        return tree.integers
    }

    private func records() -> [(offset: Int, record: JournalRecord)] {
        let bytes = SettingsPerson(path: names.journal).contents(of: disk) ?? []
        return bytes.withUnsafeBytes { bytes in
            guard let header = try? JournalHeader.decode(bytes), Int(header.base) < bytes.count else { return [] }
            return JournalScan.salvage(
                fromBase: UnsafeRawBufferPointer(rebasing: bytes[Int(header.base)...]), header
            ).records
        }
    }

    private func journal(_ state: inout State) -> (journal: ProtocolState.Journal, count: Int)? {
        let records = records()
        guard !records.isEmpty else { return nil }
        let replay = JournalReplay(records)
        let mirrors = replay.state.mirrors.map { mirror -> Values? in
            guard mirror.version != .absent else { return nil }
            let values = mirror.difference.mirror(of: replay.tree).integers
            state.versions[mirror.version] = values
            return values
        }
        return (ProtocolState.Journal(tree: replay.tree.integers, mirrors: mirrors), records.count)
    }
}

extension SettingTree {
    var integers: [String: Int64] {
        root.reduce(into: [:]) { values, entry in
            if case .integer(let number) = entry.value { values[entry.key] = number }
        }
    }
}

extension [SettingKey: SettingValue?] {
    var integers: [String: Int64?] {
        var values: [String: Int64?] = [:]
        for (key, value) in self {
            if case .integer(let number)? = value {
                values.updateValue(number, forKey: "\(key)")
            } else {
                values.updateValue(nil, forKey: "\(key)")
            }
        }
        return values
    }
}

import Settle

/// The batches that a scenario has stored and the values it has acknowledged, with the disk before each of its changes.
final class CrashLog: Sendable {
    /// The promises made about one settings file.
    struct FileState: Sendable {
        /// The expected contents: the initial ones, and those after each batch handed to a storage.
        var trees: [SettingTree]
        /// Whether the file had been removed before the scenario began.
        var isRemovedAtFirst = false
        /// The index of the newest tree whose append has returned.
        var returned = 0
        /// The index of the newest tree that a storage has reported stable.
        var synced = 0
        /// The index of the newest tree at the last checkpoint.
        var checkpointed = 0

        init(_ contents: StorageContents) {
            trees = [contents.tree]
            if case .removed = contents.outcome { isRemovedAtFirst = true }
        }

        /// The state before the scenario began.
        var atFirst: FileState {
            var first = self
            (first.trees, first.returned, first.synced, first.checkpointed) = (Array(trees.prefix(1)), 0, 0, 0)
            return first
        }
    }

    struct State: Sendable {
        /// The states by file name.
        var files: [String: FileState] = [:]
        /// The number of acknowledged values.
        var told = 0
    }

    /// A moment at which a crash may happen.
    struct Point: Sendable {
        /// Counted from 1.
        var number: Int
        /// The next call, which the crash prevents; `nil` after the last one.
        var call: SystemCall?
        var image: DiskImage
        var parts: [DiskImage]
        var state: State
    }

    private let recorded = LockedValue<(state: State, points: [Point], isOver: Bool)>((State(), [], false))

    var state: State { recorded.withLock { $0.state } }
    var points: [Point] { recorded.withLock { $0.points } }

    func noteTold() {
        recorded.withLock { $0.state.told += 1 }
    }

    /// Starts to follow a file unless it is followed already.
    func follow(_ file: String, from contents: StorageContents) {
        recorded.withLock { $0.state.files[file] = $0.state.files[file] ?? FileState(contents) }
    }

    func state(of file: String) -> FileState? {
        recorded.withLock { $0.state.files[file] }
    }

    func update(_ file: String, _ change: (inout FileState) -> Void) {
        recorded.withLock { recorded in
            guard var state = recorded.state.files[file] else { return }
            change(&state)
            recorded.state.files[file] = state
        }
    }

    /// Records a moment before a change of the disk.
    func note(_ moment: SimulatedDisk.Moment) {
        add(moment.call, moment.image, moment.parts)
    }

    /// Records the end of the scenario. Later changes of the disk are ignored.
    func end(with image: DiskImage) {
        add(nil, image, [])
        recorded.withLock { $0.isOver = true }
    }

    private func add(_ call: SystemCall?, _ image: DiskImage, _ parts: [DiskImage]) {
        recorded.withLock { recorded in
            guard !recorded.isOver else { return }
            recorded.points.append(
                Point(
                    number: recorded.points.count + 1, call: call, image: image, parts: parts, state: recorded.state))
        }
    }
}

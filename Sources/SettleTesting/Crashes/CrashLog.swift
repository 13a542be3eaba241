import Settle

/// What a scenario has stored and told, and the disk before each of its changes.
final class CrashLog: Sendable {
    struct State: Sendable {
        /// What should be stored: at first, and after each batch that was handed to a storage.
        var trees: [SettingTree]
        /// The newest of them whose append has returned.
        var returned = 0
        /// The newest of them that a storage has called stable.
        var stable = 0
        /// The newest of them at the last checkpoint.
        var checkpointed = 0
        /// How many things the outside world has been told.
        var told = 0
    }

    /// A moment in which everything might end.
    struct Point: Sendable {
        /// Counted from 1.
        var number: Int
        /// The call that would have come next; `nil` after the last one.
        var call: SystemCall?
        var image: DiskImage
        var parts: [DiskImage]
        var state: State
    }

    private let recorded: LockedValue<(state: State, points: [Point], isOver: Bool)>

    init(_ tree: SettingTree) {
        recorded = LockedValue((State(trees: [tree]), [], false))
    }

    var state: State { recorded.withLock { $0.state } }
    var points: [Point] { recorded.withLock { $0.points } }

    func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        recorded.withLock { change(&$0.state) }
    }

    /// The disk is about to be changed.
    func note(_ moment: SimulatedDisk.Moment) {
        add(moment.call, moment.image, moment.parts)
    }

    /// The scenario has ended; what happens to the disk from now on does not count.
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

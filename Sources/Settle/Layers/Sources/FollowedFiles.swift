/// Follows single files whose paths may change: by the events of the files and of the links on the way to them, and by
/// periodic checks, because a file that is mounted on its own has no events.
final class FollowedFiles: Sendable {
    private struct Follower: Sendable {
        let isChanged: @Sendable () -> Bool
        let report: @Sendable () -> Void
    }

    private struct State: Sendable {
        var paths: Set<FilePath> = []
        var places: [FilePath: Set<String>] = [:]
        /// `nil` before the files are followed, and after that has ended.
        var follower: Follower?
        var watch: (any FileWatch)?
        var checking: Task<Void, Never>?
    }

    private let operations: FileOperations
    private let watching: any FileWatching
    private let time: TimeSource
    private let interval: Duration
    private let state = LockedValue(State())

    /// - Parameters:
    ///   - interval: How often to check without an event.
    ///   - clock: Measures the interval.
    init(
        _ operations: FileOperations, _ watching: any FileWatching, interval: Duration, clock: any Clock<Duration>
    ) {
        self.operations = operations
        self.watching = watching
        self.interval = interval
        time = TimeSource(clock)
    }

    deinit {
        state.withLock { $0.checking?.cancel() }
    }

    /// Replaces the files to follow. Called by one task at a time.
    ///
    /// - Returns: Whether other names are watched from now on, so that the files must be read again.
    func setPaths(_ paths: Set<FilePath>) -> Bool {
        let places = places(of: paths)
        return state.withLock { state in
            let isCurrent = places == state.places && (paths.isEmpty || state.watch != nil)
            (state.paths, state.places) = (paths, places)
            guard !isCurrent else { return false }
            start(&state)
            return state.watch != nil
        }
    }

    /// Begins to report. There is nothing to report while there are no files.
    ///
    /// - Parameters:
    ///   - isChanged: Returns whether the files have other contents than those last read. May read them.
    ///   - report: Returns immediately.
    func begin(isChanged: @escaping @Sendable () -> Bool, report: @escaping @Sendable () -> Void) {
        let hasFiles = state.withLock { state in
            state.follower = Follower(isChanged: isChanged, report: report)
            start(&state)
            return !state.paths.isEmpty
        }
        // For changes since the first reading.
        if hasFiles { report() }
    }

    /// Reports that there may be other files to follow.
    func report() { state.withLock { $0.follower }?.report() }

    /// Ends reporting.
    func end() {
        state.withLock { state in
            state.follower = nil
            state.watch?.cancel()
            state.watch = nil
            state.checking?.cancel()
            state.checking = nil
        }
    }

    private func start(_ state: inout State) {
        guard let follower = state.follower else { return }
        if let watch = state.watch { return watch.update(state.places) }
        guard !state.paths.isEmpty else { return }
        state.watch = watching.watch(state.places) { _ in follower.report() }
        state.checking = Task.detached { [weak self, time, interval] in
            while (try? await time.sleep(time.elapsed() + interval)) != nil, self != nil {
                if await runBlocking({ follower.isChanged() }) { follower.report() }
            }
        }
    }

    /// Returns the names of the files and of the links on the way to them. Those of relative paths can't be watched.
    private func places(of paths: Set<FilePath>) -> [FilePath: Set<String>] {
        var places: [FilePath: Set<String>] = [:]
        for path in paths where path.isAbsolute {
            guard let (resolved, links) = try? operations.resolve(path) else { continue }
            for file in [resolved] + links { places[file.folder, default: []].insert(file.name) }
        }
        return places
    }
}

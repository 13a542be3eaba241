package import Dispatch

/// Watches files by what the operating system tells about their folders, and looks at them twice a second where it tells
/// nothing: on file systems that others change over a network, and when the system has no more watches to give.
///
/// Not noticed is that a folder above a watched one is moved away, or that a link to one leads elsewhere. Who cares watches
/// the name of that link or folder too, and calls ``FileWatch/update(_:)``.
package final class SystemFileWatching: FileWatching {
    /// One descriptor for the process: a user may have only few, and they are slow to close.
    package static let shared: SystemFileWatching = {
        #if os(Linux) || os(Android)
            SystemFileWatching(source: Inotify())
        #elseif canImport(Darwin)
            SystemFileWatching(source: VnodeEventSource(KernelQueue()))
        #else
            SystemFileWatching(source: nil)
        #endif
    }()

    // Sendable: all of it stays under the lock, the timer too.
    private struct State: @unchecked Sendable {
        var table: WatchTable
        var watches: [Int: WeakWatch] = [:]
        var nextUser = 0
        var timer: (any DispatchSourceTimer)?
    }

    private struct WeakWatch {
        weak var watch: SystemFileWatch?
    }

    private let queue = DispatchQueue(label: "settle.files")
    private let calls: any SystemCalls
    private let pollInterval: DispatchTimeInterval?
    /// Held while folders are looked at, never while anybody is told.
    private let state: LockedValue<State>

    /// - Parameters:
    ///   - source: Without one, everything is polled.
    ///   - pollInterval: How often to look at what the system does not tell about. Without it only when ``poll()`` is called.
    package init(
        source: (any FolderEventSource)?, pollInterval: DispatchTimeInterval? = .milliseconds(500),
        calls: any SystemCalls = POSIXSystemCalls()
    ) {
        self.calls = calls
        self.pollInterval = pollInterval
        state = LockedValue(State(table: WatchTable(source: source, calls: calls)))
        source?.start(on: queue) { [weak self] events in
            guard let self else { return }
            self.deliver(self.state.withLock { $0.table.take(events) })
        }
    }

    deinit {
        state.withLock { $0.timer?.cancel() }
    }

    package func watch(
        _ places: [FilePath: Set<String>], _ notify: @escaping @Sendable (FileEvents) -> Void
    ) -> any FileWatch {
        let watch = state.withLock { state in
            state.nextUser += 1
            let watch = SystemFileWatch(user: state.nextUser, owner: self, notify)
            state.watches[watch.user] = WeakWatch(watch: watch)
            return watch
        }
        update(places, of: watch.user)
        return watch
    }

    /// Looks at everything that is polled, and tells what has changed.
    package func poll() {
        queue.async { self.pollNow() }
    }

    private func pollNow() {
        let (messages, places) = state.withLock { ($0.table.attachPolled(), $0.table.polledPlaces) }
        deliver(messages)
        // Without the lock, because a file system that is gone may keep one waiting.
        let found = places.map { ($0, FolderStatuses(of: $1, in: $0, calls)) }
        deliver(state.withLock { $0.table.take(Dictionary(uniqueKeysWithValues: found)) })
    }

    func update(_ places: [FilePath: Set<String>], of user: Int) {
        let messages = state.withLock { state in
            defer { setTimer(&state) }
            return state.table.set(places, for: user)
        }
        if !messages.isEmpty { queue.async { self.deliver(messages) } }
    }

    /// On the queue, so that nobody waits for the lock.
    func remove(_ user: Int) {
        queue.async {
            self.state.withLock { state in
                state.watches[user] = nil
                state.table.remove(user)
                self.setTimer(&state)
            }
        }
    }

    private func deliver(_ messages: WatchTable.Messages) {
        for (user, events) in messages {
            let watch = state.withLock { $0.watches[user]?.watch }
            watch?.tell(events)
        }
        state.withLock { setTimer(&$0) }
    }

    private func setTimer(_ state: inout State) {
        let isNeeded = !state.table.polledPlaces.isEmpty
        guard let pollInterval, isNeeded != (state.timer != nil) else { return }
        guard isNeeded else {
            state.timer?.cancel()
            state.timer = nil
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.pollNow() }
        timer.schedule(deadline: .now() + pollInterval, repeating: pollInterval, leeway: .milliseconds(100))
        timer.activate()
        state.timer = timer
    }
}

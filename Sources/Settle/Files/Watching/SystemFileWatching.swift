package import Dispatch

/// Watches files through the operating system's events for their folders, and polls twice a second where there are
/// none: on network file systems, and when the system has no more watches to give.
///
/// It does not notice when a folder above a watched one is moved away, or when a link to one is redirected. To cover
/// these, watch the name of that link or folder too, and call ``FileWatch/update(_:)``.
package final class SystemFileWatching: FileWatching {
    /// One descriptor per process: users may have only few, and closing one is slow.
    package static let shared: SystemFileWatching = {
        #if os(Linux) || os(Android)
            SystemFileWatching(source: Inotify())
        #elseif canImport(Darwin)
            SystemFileWatching(source: VnodeEventSource(KernelQueue()))
        #else
            SystemFileWatching(source: nil)
        #endif
    }()

    // Sendable: everything in it, the timer included, is accessed only under the lock.
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
    private static let current = DispatchSpecificKey<Bool>()
    /// Whether the calling thread notifies watches. It holds no lock of a store, and should not be blocked: it serves
    /// all stores.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: current) == true }

    /// For calls that may block for long, so that they delay no events.
    private let polls = DispatchQueue(label: "settle.files.polls")
    private let source: (any FolderEventSource)?
    private let calls: any SystemCalls
    private let pollInterval: DispatchTimeInterval?
    /// Held while folders of this machine are examined, never while watches are notified. Other machines are asked
    /// without it, except where an event moves a watch to another folder, and on Apple's platforms, where nothing tells
    /// which folders are theirs.
    private let state: LockedValue<State>

    /// - Parameters:
    ///   - source: Without one, everything is polled.
    ///   - pollInterval: How often to poll what the system has no events for. Without it, only ``poll()`` polls.
    package init(
        source: (any FolderEventSource)?, pollInterval: DispatchTimeInterval? = .milliseconds(500),
        calls: any SystemCalls = POSIXSystemCalls()
    ) {
        self.source = source
        self.calls = calls
        self.pollInterval = pollInterval
        queue.setSpecific(key: Self.current, value: true)
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

    /// Examines everything that is polled, and notifies watches of changes.
    package func poll() {
        polls.async { self.pollNow() }
    }

    /// Asks one folder after the other, so a machine that does not answer stops all polls; not the events.
    private func pollNow() {
        let polled = state.withLock { $0.table.polledPlaces.keys }
        // Without the lock: calls on a file system that is gone may block for long.
        let remote = remoteFolders(among: polled)
        let messages = state.withLock { $0.table.attach(polled.filter { !remote.contains($0) }) }
        queue.async { self.deliver(messages) }
        let changes = examine { _ in true }
        queue.async { self.deliver(changes) }
    }

    func update(_ places: [FilePath: Set<String>], of user: Int) {
        let remote = remoteFolders(among: places.keys)
        let messages = state.withLock { state -> WatchTable.Messages in
            // The watch may have been cancelled while a machine did not answer.
            guard state.watches[user] != nil else { return [:] }
            defer { setTimer(&state) }
            return state.table.set(places, remote: remote, for: user)
        }
        var changes: WatchTable.Messages = remote.isEmpty ? [:] : examine { remote.contains($0) }
        changes[user] = nil
        for messages in [messages, changes] where !messages.isEmpty { queue.async { self.deliver(messages) } }
    }

    func foundForeignChange() { source?.foundForeignChange() }

    private func remoteFolders(among folders: some Sequence<FilePath>) -> Set<FilePath> {
        Set(folders.filter { source?.isRemote($0) == true })
    }

    /// Compares polled folders with their last known statuses. Reads without the lock.
    private func examine(where isMeant: (FilePath) -> Bool) -> WatchTable.Messages {
        let places = state.withLock { $0.table.polledPlaces }.filter { isMeant($0.key) }
        let found = places.map { ($0, FolderStatuses(of: $1, in: $0, calls)) }
        return state.withLock { $0.table.take(Dictionary(uniqueKeysWithValues: found)) }
    }

    /// Runs on the queue, so that the caller does not wait for the lock.
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
        let isNeeded = state.table.isPolling
        guard let pollInterval, isNeeded != (state.timer != nil) else { return }
        guard isNeeded else {
            state.timer?.cancel()
            state.timer = nil
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: polls)
        timer.setEventHandler { [weak self] in self?.pollNow() }
        timer.schedule(deadline: .now() + pollInterval, repeating: pollInterval, leeway: .milliseconds(100))
        timer.activate()
        state.timer = timer
    }
}

/// Loads a domain again whenever its source reports that something may have changed.
///
/// ```
///   idle ──first report──▶ loading ──end──▶ ended
///     └───────────────────end────────────────▲
/// ```
///
/// Most sources never report anything, so the queue and the task that load begin with the first report. Those of an
/// ``AsyncDomainSource`` begin at once: it waits for changes on the same queue, so that no thread has to wake another
/// one between a change and its load.
final class DomainFollower: Sendable {
    /// The task that loads, and what it needs.
    private struct Loading: Sendable {
        let signals: AsyncStream<Void>.Continuation
        let task: Task<Void, Never>
        let executor: QueueExecutor
    }

    private struct State: Sendable {
        /// `nil` until something is reported.
        var loading: Loading?
        /// The task in which an ``AsyncDomainSource`` waits for changes.
        var following: Task<Void, Never>?
        /// Whether no report begins a load any more.
        var isEnding = false
    }

    /// Those that wait for a load, by the numbers of their calls.
    private struct Waiting: Sendable {
        private var callers: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// The number of the newest call.
        private(set) var newest: UInt64 = 0
        private var hasEnded = false

        /// - Returns: The number of a new call.
        mutating func begin() -> UInt64 {
            newest += 1
            return newest
        }

        /// - Returns: False if nothing is loaded any more.
        mutating func add(_ caller: CheckedContinuation<Void, Never>, _ number: UInt64) -> Bool {
            guard !hasEnded else { return false }
            callers[number] = caller
            return true
        }

        mutating func remove(_ number: UInt64) -> CheckedContinuation<Void, Never>? {
            callers.removeValue(forKey: number)
        }

        mutating func removeAll(upTo number: UInt64) -> [CheckedContinuation<Void, Never>] {
            callers.keys.filter { $0 <= number }.compactMap { callers.removeValue(forKey: $0) }
        }

        mutating func end() -> [CheckedContinuation<Void, Never>] {
            hasEnded = true
            return removeAll(upTo: newest)
        }
    }

    private let source: any DomainSource
    private let deliver: @Sendable (Result<DomainContents, StorageError>) -> Void
    private let state = LockedValue(State())
    private let waiting = LockedValue(Waiting())

    /// - Parameter deliver: Takes over the source's contents, or the error of reading them. It may block.
    init(
        of source: any DomainSource,
        deliver: @escaping @Sendable (Result<DomainContents, StorageError>) -> Void
    ) {
        self.source = source
        self.deliver = deliver
        let changed: @Sendable () -> Void = { [weak self] in self?.load() }
        if let source = source as? any AsyncDomainSource {
            state.withLock { state in
                let loading = beginLoading()
                state.loading = loading
                state.following = Self.follow(source, on: loading.executor, changed)
            }
        } else {
            source.watch(changed)
        }
    }

    private static func follow(
        _ source: any AsyncDomainSource, on executor: QueueExecutor, _ changed: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task.detached(executorPreference: executor.forTasks) { [executor] in
            await source.follow(changed)
            withExtendedLifetime(executor) {}
        }
    }

    /// Loads again, and returns when the contents or the error are delivered, when nothing is loaded any more, or when
    /// the task is cancelled.
    func reload() async {
        let number = waiting.withLock { $0.begin() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                guard waiting.withLock({ $0.add(caller, number) }) else { return caller.resume() }
                load()
                // Then the handler may have come before the caller.
                if Task.isCancelled { cancelReload(number) }
            }
        } onCancel: {
            cancelReload(number)
        }
    }

    private func cancelReload(_ number: UInt64) { waiting.withLock { $0.remove(number) }?.resume() }

    /// Returns when nothing more is delivered.
    func end() async {
        let (loading, following) = state.withLock { state in
            state.isEnding = true
            return (state.loading, state.following)
        }
        // Not waited for: from here on its reports load nothing, and foreign code may ignore the cancellation.
        following?.cancel()
        loading?.signals.finish()
        await source.close()
        await loading?.task.value
        // Without a task, nothing else ends their wait.
        for caller in waiting.withLock({ $0.end() }) { caller.resume() }
    }

    /// Begins a load, now or after the one in progress. Returns immediately.
    func load() {
        let signals = state.withLock { state -> AsyncStream<Void>.Continuation? in
            guard !state.isEnding else { return nil }
            let loading = state.loading ?? beginLoading()
            state.loading = loading
            return loading.signals
        }
        signals?.yield()
    }

    private func beginLoading() -> Loading {
        let (stream, signals) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Not the concurrency runtime's threads: all of them may wait for `end()`, or for the contents that `deliver`
        // brings.
        let executor = QueueExecutor(label: "settle.domain")
        let task: Task<Void, Never> = Task.detached(executorPreference: executor.forTasks) {
            [executor, source, deliver, waiting] in
            for await _ in stream {
                // Before the load, so that it finds all that the callers want to have read.
                let newest = waiting.withLock { $0.newest }
                deliver(await Result(loading: source))
                for caller in waiting.withLock({ $0.removeAll(upTo: newest) }) { caller.resume() }
            }
            for caller in waiting.withLock({ $0.end() }) { caller.resume() }
            withExtendedLifetime(executor) {}
        }
        return Loading(signals: signals, task: task, executor: executor)
    }
}

extension Result<DomainContents, StorageError> {
    init(loading source: any DomainSource) async {
        do throws(StorageError) {
            self = .success(try await source.load())
        } catch {
            self = .failure(error)
        }
    }
}

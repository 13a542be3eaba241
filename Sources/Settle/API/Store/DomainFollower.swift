/// Loads a domain again whenever its source reports that something may have changed.
final class DomainFollower: Sendable {
    /// Those that wait for a load.
    private struct Waiting: Sendable {
        private var callers: [CheckedContinuation<Void, Never>] = []
        var hasEnded = false

        /// - Returns: False if nothing is loaded any more.
        mutating func add(_ caller: CheckedContinuation<Void, Never>) -> Bool {
            guard !hasEnded else { return false }
            callers.append(caller)
            return true
        }

        mutating func takeCallers() -> [CheckedContinuation<Void, Never>] {
            defer { callers = [] }
            return callers
        }
    }

    private let source: any DomainSource
    private let signals: AsyncStream<Void>.Continuation
    private let task: Task<Void, Never>
    private let waiting = LockedValue(Waiting())
    /// Not the concurrency runtime's threads: all of them may wait for ``end()``, or for the contents that `deliver`
    /// brings.
    private let executor = QueueExecutor(label: "settle.domain")

    /// - Parameter deliver: Takes over the source's contents, or the error of reading them. It may block.
    init(
        of source: any DomainSource,
        deliver: @escaping @Sendable (Result<DomainContents, StorageError>) -> Void
    ) {
        self.source = source
        let (stream, signals) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        task = Task.detached(executorPreference: executor.forTasks) { [executor, waiting] in
            for await _ in stream {
                // Before the load, so that it finds all that they want to have read.
                let callers = waiting.withLock { $0.takeCallers() }
                deliver(await Result(loading: source))
                for caller in callers { caller.resume() }
            }
            let callers = waiting.withLock { waiting in
                waiting.hasEnded = true
                return waiting.takeCallers()
            }
            for caller in callers { caller.resume() }
            withExtendedLifetime(executor) {}
        }
        source.watch { signals.yield() }
    }

    /// Loads again, and returns when the contents or the error are delivered, or when nothing is loaded any more.
    func reload() async {
        await withCheckedContinuation { caller in
            if waiting.withLock({ $0.add(caller) }) { signals.yield() } else { caller.resume() }
        }
    }

    /// Returns when nothing more is delivered.
    func end() async {
        signals.finish()
        await source.close()
        await task.value
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

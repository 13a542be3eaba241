/// Loads a domain again whenever its source reports that something may have changed.
final class DomainFollower: Sendable {
    private let source: any DomainSource
    private let signals: AsyncStream<Void>.Continuation
    private let task: Task<Void, Never>
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
        task = Task.detached(executorPreference: executor.forTasks) { [executor] in
            for await _ in stream { deliver(await Result(loading: source)) }
            withExtendedLifetime(executor) {}
        }
        source.watch { signals.yield() }
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

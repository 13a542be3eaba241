/// The source of `SettingsStore.issues`.
final class IssueBoard: @unchecked Sendable {
    // Sendable: all state is guarded by `lock`.
    private let lock = Lock()
    private var recent: [SettingsError] = []
    private var subscribers: [UInt64: AsyncStream<SettingsError>.Continuation] = [:]
    private var nextID: UInt64 = 0
    private var isFinished = false
    private static let limit = 100

    func report(_ issue: SettingsError) {
        let continuations = lock.withLock {
            if recent.count == Self.limit { recent.removeFirst() }
            recent.append(issue)
            return Array(subscribers.values)
        }
        // Yield without the lock: a continuation may run foreign code.
        for continuation in continuations { continuation.yield(issue) }
    }

    func subscribe() -> AsyncStream<SettingsError> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SettingsError.self, bufferingPolicy: .bufferingNewest(Self.limit * 2))
        // Yield the earlier issues before the subscriber is listed, so that none is lost or delivered twice.
        let isOpen = lock.withLock {
            for issue in recent { continuation.yield(issue) }
            guard !isFinished else { return false }
            nextID += 1
            let id = nextID
            subscribers[id] = continuation
            continuation.onTermination = { [weak self] _ in self?.remove(id) }
            return true
        }
        if !isOpen { continuation.finish() }
        return stream
    }

    func finish() {
        let continuations = lock.withLock {
            isFinished = true
            return Array(subscribers.values)
        }
        for continuation in continuations { continuation.finish() }
    }

    private func remove(_ id: UInt64) {
        lock.withLock { _ = subscribers.removeValue(forKey: id) }
    }
}

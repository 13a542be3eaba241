import Dispatch
import Synchronization

/// The source of `SettingsStore.issues`. While nothing iterates those, each kind of issue is delivered once for each
/// key: to standard error, or to the configuration's handler.
final class IssueBoard: @unchecked Sendable {
    // Sendable: all state is guarded by `lock`.
    private let lock = Lock()
    private var recent: [SettingsError] = []
    private var subscribers: [UInt64: AsyncStream<SettingsError>.Continuation] = [:]
    private var nextID: UInt64 = 0
    private var isFinished = false
    /// The kinds of issues that nothing has iterated.
    private var unheard: Set<UnheardIssue> = []
    private let outlet: Outlet
    private static let limit = 100

    typealias Outlet = @Sendable (SettingsError) -> Void

    /// Whether nothing is written to standard error in this process. For tests that fail on purpose, a thousand times.
    static let isSilent = Atomic(false)

    private static let standardError: Outlet = { issue in
        if !isSilent.load(ordering: .relaxed) { writeToStandardError("Settle: \(issue)") }
    }

    init(outlet: Outlet? = nil) {
        self.outlet = outlet ?? Self.standardError
    }

    /// Returns a handler that runs on a queue of its own: it is foreign code, and the storage may be locked when an
    /// issue occurs.
    static func queued(_ handler: @escaping Outlet) -> Outlet {
        let queue = QueueExecutor(label: "settle.issues").queue
        return { issue in queue.async { handler(issue) } }
    }

    func report(_ issue: SettingsError) {
        let (continuations, isUnheard) = lock.withLock {
            if recent.count == Self.limit { recent.removeFirst() }
            recent.append(issue)
            return (Array(subscribers.values), subscribers.isEmpty && isFirstUnheard(issue))
        }
        // Yield without the lock: a continuation may run foreign code.
        for continuation in continuations { continuation.yield(issue) }
        if isUnheard { outlet(issue) }
    }

    /// Returns whether an issue is new on the outlet. Bounded, because keys that a program makes up at run time are
    /// not.
    private func isFirstUnheard(_ issue: SettingsError) -> Bool {
        unheard.count < Self.limit && unheard.insert(UnheardIssue(issue)).inserted
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
            defer { subscribers = [:] }
            isFinished = true
            return Array(subscribers.values)
        }
        for continuation in continuations { continuation.finish() }
    }

    private func remove(_ id: UInt64) {
        lock.withLock { _ = subscribers.removeValue(forKey: id) }
    }
}

/// The properties that make two issues the same for a reader of standard error.
private struct UnheardIssue: Hashable {
    let code: SettingsError.Code
    /// The key; the sentence, if there is no key.
    let subject: String

    init(_ issue: SettingsError) {
        code = issue.code
        subject = issue.key.flatMap { $0.isEmpty ? nil : $0 } ?? issue.description
    }
}

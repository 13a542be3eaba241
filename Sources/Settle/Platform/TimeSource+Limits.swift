extension TimeSource {
    /// Runs work as a child of the caller's task, and cancels it when it has not ended by a time. Waits for it to end
    /// even then.
    ///
    /// The alarm itself cancels it: the work may have blocked the thread on which the caller runs.
    ///
    /// - Returns: The result of the work, and whether its time was over before.
    package func run<Value: Sendable, Failure: Error>(
        until due: Duration, _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async -> (result: Result<Value, Failure>, isOver: Bool) {
        let limited = LimitedTask()
        return await withTaskGroup(of: Result<Value, Failure>.self) { group in
            group.addTask {
                await limited.run {
                    do throws(Failure) { return .success(try await work()) } catch { return .failure(error) }
                }
            }
            let alarm = alarm(at: due) { limited.timeIsOver() }
            defer { alarm.cancel() }
            guard let result = await group.next() else { preconditionFailure("Work ends with a value or an error.") }
            return (result, limited.isOver)
        }
    }

    /// Runs an action at a time, unless the alarm is cancelled before.
    @inline(never) private func alarm(at due: Duration, _ action: @escaping @Sendable () -> Void) -> Alarm {
        if let alarms { return .shared(alarms, alarms.add(at: due, action)) }
        return .own(
            Task {
                // An error only means that the sleep was cancelled.
                guard (try? await sleep(due)) != nil else { return }
                action()
            })
    }
}

private enum Alarm {
    case shared(Alarms, Int)
    case own(Task<Void, Never>)

    func cancel() {
        switch self {
        case .shared(let alarms, let number): alarms.remove(number)
        case .own(let task): task.cancel()
        }
    }
}

/// A task that any thread can cancel while it runs.
///
/// ```
///   waiting ──run──▶ running ──▶ ended
///      │                │
///      └──timeIsOver────┴──▶ over, and cancelled
/// ```
private final class LimitedTask: @unchecked Sendable {
    // Sendable: the task is there while the state is `running`, which ends under the lock, and a task may be cancelled
    // on any thread.
    private enum State {
        case waiting, ended, over
        case running(UnsafeCurrentTask)
    }

    private let lock = Lock()
    private var state = State.waiting

    /// Called once, by the task.
    func run<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value {
        await withUnsafeCurrentTask { task in
            if let task { begin(task) }
            let value = await work()
            end()
            return value
        }
    }

    private func begin(_ task: UnsafeCurrentTask) {
        lock.withLock { if case .over = state { task.cancel() } else { state = .running(task) } }
    }

    private func end() {
        lock.withLock { if case .running = state { state = .ended } }
    }

    func timeIsOver() {
        lock.withLock {
            switch state {
            case .waiting: break
            case .running(let task): task.cancel()
            case .ended, .over: return
            }
            state = .over
        }
    }

    var isOver: Bool { lock.withLock { if case .over = state { true } else { false } } }
}

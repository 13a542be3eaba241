extension TimeSource {
    /// Runs work as a child of the caller's task, and cancels it when it has not ended by a time. Waits for it to end even
    /// then.
    ///
    /// - Returns: What it has come to, and whether its time was over before.
    package func run<Value: Sendable, Failure: Error>(
        until due: Duration, _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async -> (result: Result<Value, Failure>, isOver: Bool) {
        let race = Race()
        return await withTaskGroup(of: Result<Value, Failure>.self) { group in
            group.addTask {
                defer { race.decide(.ended) }
                do throws(Failure) { return .success(try await work()) } catch { return .failure(error) }
            }
            let alarm = alarm(at: due) { race.decide(.isOver) }
            let winner = await race.winner()
            alarm.cancel()
            if winner == .isOver { group.cancelAll() }
            guard let result = await group.next() else { preconditionFailure("Work ends with a value or an error.") }
            return (result, winner == .isOver)
        }
    }

    /// Does something at a time, unless the alarm is cancelled before.
    @inline(never) private func alarm(at due: Duration, _ action: @escaping @Sendable () -> Void) -> Alarm {
        if let alarms { return .shared(alarms, alarms.add(at: due, action)) }
        return .own(
            Task {
                // An error only means that it was cancelled.
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

/// Tells the one who waits what came first: the end of the work, or that of its time.
private final class Race: Sendable {
    enum Winner { case ended, isOver }

    private enum State {
        case undecided
        case awaited(UnsafeContinuation<Winner, Never>)
        case decided(Winner)
    }

    private let state = LockedValue(State.undecided)

    func decide(_ winner: Winner) {
        let continuation = state.withLock { state -> UnsafeContinuation<Winner, Never>? in
            switch state {
            case .decided: return nil
            case .undecided:
                state = .decided(winner)
                return nil
            case .awaited(let continuation):
                state = .decided(winner)
                return continuation
            }
        }
        continuation?.resume(returning: winner)
    }

    func winner() async -> Winner {
        await withUnsafeContinuation { continuation in
            let winner = state.withLock { state -> Winner? in
                if case .decided(let winner) = state { return winner }
                state = .awaited(continuation)
                return nil
            }
            if let winner { continuation.resume(returning: winner) }
        }
    }
}

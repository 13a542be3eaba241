import ArgumentParser
import PasscodeLock

/// Shows a lock's status for as long as it is wanted.
struct WatchDisplay {
    private enum Event: Sendable {
        case status(LockStatus)
        case record(AuditRecord)
        case resized
        case interrupted
        case ended
    }

    private let lock: PasscodeLockout
    private let showsRecords: Bool
    private let isTerminal = Terminal.showsOutput

    init(_ lock: PasscodeLockout, showsRecords: Bool) {
        self.lock = lock
        self.showsRecords = showsRecords
    }

    /// Returns after the lock's store has closed, or after showing a status that ends the display.
    ///
    /// - Throws: `ExitCode.interrupted` after Ctrl-C, and `ExitCode.unwritable`.
    func run(while isWanted: (LockStatus) -> Bool) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let signals = isTerminal ? TerminalSignals() : nil
        let followers = follow(continuation, signals?.stream)
        defer {
            for follower in followers { follower.cancel() }
            withExtendedLifetime(signals) {}
        }
        var line = LiveLine()
        defer { if isTerminal { line.end() } }
        for await event in events {
            switch event {
            case .status(let status):
                if isTerminal { try line.draw(status.line, status.style) } else { try Terminal.say(status.line) }
                if !isWanted(status) { return }
            case .record(let record):
                if isTerminal { try line.insert(record.line, record.style) } else { try Terminal.say(record.line) }
            case .resized: try line.redraw()
            case .interrupted: throw ExitCode.interrupted
            case .ended: return
            }
        }
    }

    private func follow(
        _ continuation: AsyncStream<Event>.Continuation, _ signals: AsyncStream<TerminalSignals.Signal>?
    ) -> [Task<Void, Never>] {
        let records = lock.newAuditRecords()
        var tasks = [
            Task { [lock, isTerminal] in
                for await status in await lock.statuses(every: isTerminal ? .seconds(1) : nil) {
                    continuation.yield(.status(status))
                }
                continuation.yield(.ended)
            }
        ]
        if showsRecords {
            tasks.append(Task { for await record in records { continuation.yield(.record(record)) } })
        }
        if let signals {
            tasks.append(
                Task {
                    for await signal in signals {
                        continuation.yield(signal == .resized ? .resized : .interrupted)
                    }
                })
        }
        return tasks
    }
}

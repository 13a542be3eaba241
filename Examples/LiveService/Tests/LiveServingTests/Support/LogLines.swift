import Synchronization

/// The lines of a log, for tests that wait for one.
final class LogLines: Sendable {
    private struct State {
        var lines: [String] = []
        var waiting: [(text: String, continuation: CheckedContinuation<String, Never>)] = []
    }

    private let state = Mutex(State())

    var all: [String] { state.withLock { $0.lines } }

    func append(_ line: String) {
        let done = state.withLock { state in
            state.lines.append(line)
            let done = state.waiting.filter { line.contains($0.text) }
            state.waiting.removeAll { line.contains($0.text) }
            return done
        }
        for waiter in done { waiter.continuation.resume(returning: line) }
    }

    /// Waits for the first line with a text.
    func first(containing text: String) async -> String {
        await withCheckedContinuation { continuation in
            let line = state.withLock { state -> String? in
                if let line = state.lines.first(where: { $0.contains(text) }) { return line }
                state.waiting.append((text, continuation))
                return nil
            }
            if let line { continuation.resume(returning: line) }
        }
    }
}

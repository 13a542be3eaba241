import Synchronization

/// The lines of a log, for tests that wait for one.
final class LogLines: Sendable {
    private struct State {
        var lines: [String] = []
        var readers: [AsyncStream<String>.Continuation] = []
    }

    private let state = Mutex(State())
    private let onLine: @Sendable (String) -> Void

    /// - Parameter onLine: Called with each line, by the logging thread.
    init(onLine: @escaping @Sendable (String) -> Void = { _ in }) {
        self.onLine = onLine
    }

    var all: [String] { state.withLock { $0.lines } }

    func append(_ line: String) {
        let readers = state.withLock { state in
            state.lines.append(line)
            return state.readers
        }
        for reader in readers { reader.yield(line) }
        onLine(line)
    }

    /// Waits for the first line with a text; returns an empty one if the test is cancelled first.
    func first(containing text: String) async -> String {
        let (lines, reader) = AsyncStream.makeStream(of: String.self)
        state.withLock { state in
            for line in state.lines { reader.yield(line) }
            state.readers.append(reader)
        }
        return await lines.first { $0.contains(text) } ?? ""
    }
}

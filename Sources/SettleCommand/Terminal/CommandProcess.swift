import Dispatch
import Settle

/// A command that a verb runs to get an answer. Its output goes to standard error, because standard output is for the
/// verb's answer.
package enum CommandProcess {
    private struct State: Sendable {
        /// The running command.
        var process: ShellProcess?
        var isEnding = false
    }

    private static let state = LockedValue(State())

    /// - Returns: The exit code, or 128 and the number of the signal that ended it. 126 and 127 if it can't be started.
    package static func run(_ words: [String], variables: [String: String]) throws(CommandFailure) -> Int32 {
        let process: ShellProcess?
        do throws(SystemError) {
            process = try state.withLock { (state) throws(SystemError) in
                guard !state.isEnding else { return nil }
                let process = try ShellProcess(["sh", "-c", "exec \"$@\" >&2", "sh"] + words, variables: variables)
                state.process = process
                return process
            }
        } catch {
            throw CommandFailure(.unavailable, "“\(words[0])” can't be started: \(error).")
        }
        let code = process?.wait()
        let isEnding = state.withLock { state in
            state.process = nil
            return state.isEnding
        }
        guard let code, !isEnding else { waitForEnd() }
        return code
    }

    /// Asks the running command to end, because a signal ends this process. From now on none is started.
    package static func end() {
        state.withLock { state in
            state.isEnding = true
            state.process?.end()
        }
    }

    /// Waits for the signal to end the process, so that the thread does not decide how it ends.
    static func waitForEnd() -> Never {
        let never = DispatchSemaphore(value: 0)
        while true { never.wait() }
    }
}

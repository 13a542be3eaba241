import Settle

/// A command that a verb runs to ask it something. Its output goes to standard error: standard output has the verb's answer.
package enum CommandProcess {
    /// The one that runs.
    private static let running = LockedValue<ShellProcess?>(nil)

    /// - Returns: The exit code, or 128 and the number of the signal that has ended it. 126 and 127 if it can't be started.
    package static func run(_ words: [String], variables: [String: String]) throws(CommandFailure) -> Int32 {
        let process: ShellProcess
        do throws(SystemError) {
            process = try ShellProcess(["sh", "-c", "exec \"$@\" >&2", "sh"] + words, variables: variables)
        } catch {
            throw CommandFailure(.unavailable, "“\(words[0])” can't be started: \(error).")
        }
        running.withLock { $0 = process }
        defer { running.withLock { $0 = nil } }
        return process.wait()
    }

    /// Asks the one that runs to end.
    package static func end() { running.withLock { $0 }?.end() }
}

import Settle

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// An editor that controls the terminal, including the keys that interrupt.
package enum EditorProcess {
    /// Runs the editor through the shell, because `EDITOR` may have arguments. The path is a separate argument, so that
    /// the shell does not interpret it. The shell waits for the editor too: it catches the signals rather than ignoring
    /// them, because the editor would inherit that.
    ///
    /// - Returns: The exit code, or 128 and the number of the signal that ended it.
    package static func run(_ editor: String, on path: String) throws(CommandFailure) -> Int32 {
        // Ignore them before the editor begins, so that none arrives in between.
        let handlers = ShellProcess.interrupts.map { signal($0, SIG_IGN) }
        defer { for (number, handler) in zip(ShellProcess.interrupts, handlers) { signal(number, handler) } }
        do throws(SystemError) {
            return try ShellProcess(["sh", "-c", "trap : INT QUIT; \(editor) \"$1\"", "sh", path]).wait()
        } catch {
            throw CommandFailure(.unavailable, "“\(editor)” can't be started: \(error).")
        }
    }
}

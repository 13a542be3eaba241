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

/// An editor that has the terminal, and with it the keys that interrupt.
package enum EditorProcess {
    /// By the shell, because `EDITOR` may have arguments. The path is one of its own, so that no name is taken for
    /// words of the shell. That too waits for the editor: it catches what it would ignore, for the editor would inherit
    /// that.
    ///
    /// - Returns: The exit code, or 128 and the number of the signal that has ended it.
    package static func run(_ editor: String, on path: String) throws(CommandFailure) -> Int32 {
        // Ignored before it begins, so that none arrives in between.
        let handlers = ShellProcess.interrupts.map { signal($0, SIG_IGN) }
        defer { for (number, handler) in zip(ShellProcess.interrupts, handlers) { signal(number, handler) } }
        do throws(SystemError) {
            return try ShellProcess(["sh", "-c", "trap : INT QUIT; \(editor) \"$1\"", "sh", path]).wait()
        } catch {
            throw CommandFailure(.unavailable, "“\(editor)” can't be started: \(error).")
        }
    }
}

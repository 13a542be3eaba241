#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
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
    /// Signals that a terminal sends to all processes in its foreground. They are meant for the editor, as with system(3).
    private static let interrupts = [SIGINT, SIGQUIT]

    /// By the shell, because `EDITOR` may have arguments. The path is one of its own, so that no name is taken for words
    /// of the shell. That too waits for the editor: it catches what it would ignore, for the editor would inherit that.
    ///
    /// - Returns: The exit code, or 128 and the number of the signal that has ended it.
    package static func run(_ editor: String, on path: String) throws(CommandFailure) -> Int32 {
        #if os(macOS) || !canImport(Darwin)
            // Ignored before it begins, so that none arrives in between.
            let handlers = interrupts.map { signal($0, SIG_IGN) }
            defer { for (number, handler) in zip(interrupts, handlers) { signal(number, handler) } }
            var process: pid_t = 0
            let error = start(["sh", "-c", "trap : INT QUIT; \(editor) \"$1\"", "sh", path], &process)
            guard error == 0 else {
                throw CommandFailure(
                    .unavailable, "“\(editor)” can't be started: \(String(cString: strerror(error))).")
            }
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            // Ended by itself, or by a signal.
            return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
        #else
            throw CommandFailure(.unavailable, "This system starts no other programs.")
        #endif
    }

    #if os(macOS) || !canImport(Darwin)
        /// - Returns: The error number, or 0.
        private static func start(_ words: [String], _ process: inout pid_t) -> CInt {
            #if canImport(Glibc) || canImport(Musl)
                var attributes = posix_spawnattr_t()
                let error = posix_spawnattr_init(&attributes)
                guard error == 0 else { return error }
            #elseif canImport(Darwin)
                var attributes: posix_spawnattr_t?
                let error = posix_spawnattr_init(&attributes)
                guard error == 0 else { return error }
            #else
                var created: posix_spawnattr_t?
                let error = posix_spawnattr_init(&created)
                guard error == 0, var attributes = created else { return error }
            #endif
            defer { posix_spawnattr_destroy(&attributes) }
            // The editor would inherit that they are ignored.
            var defaults = sigset_t()
            sigemptyset(&defaults)
            for number in interrupts { sigaddset(&defaults, number) }
            posix_spawnattr_setsigdefault(&attributes, &defaults)
            // The threads of the concurrency runtime block signals, and a process begins with the mask of its maker.
            var blocked = sigset_t()
            sigemptyset(&blocked)
            posix_spawnattr_setsigmask(&attributes, &blocked)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
            var arguments = words.map { strdup($0) } + [nil]
            var variables = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
            defer { for text in arguments + variables { free(text) } }
            return posix_spawn(&process, "/bin/sh", nil, &attributes, &arguments, &variables)
        }
    #endif
}

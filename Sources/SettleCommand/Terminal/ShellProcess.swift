import Settle

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

/// A command that the shell runs on this terminal.
struct ShellProcess: Sendable {
    /// Signals that a terminal sends to all processes in its foreground. They are intended for an editor, as with
    /// system(3).
    static let interrupts = [SIGINT, SIGQUIT]

    private let id: pid_t

    /// Starts the command, with these signals at their defaults.
    ///
    /// - Parameters:
    ///   - words: The arguments of `sh`, including its name.
    ///   - variables: The variables of its environment besides this process's.
    init(_ words: [String], variables: [String: String] = [:]) throws(SystemError) {
        #if os(macOS) || !canImport(Darwin)
            var process: pid_t = 0
            let error = Self.start(words, variables, &process)
            guard error == 0 else { throw SystemError(error) }
            id = process
        #else
            // This system does not start other programs.
            throw .unimplemented
        #endif
    }

    /// - Returns: The exit code, or 128 and the number of the signal that ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        // It ended by itself, or by a signal.
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// Asks the command to end.
    func end() { kill(id, SIGTERM) }

    #if os(macOS) || !canImport(Darwin)
        /// - Returns: The error number, or 0.
        private static func start(
            _ words: [String], _ variables: [String: String], _ process: inout pid_t
        ) -> CInt {
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
            // Otherwise the process would inherit that they are ignored.
            var defaults = sigset_t()
            sigemptyset(&defaults)
            for number in interrupts { sigaddset(&defaults, number) }
            posix_spawnattr_setsigdefault(&attributes, &defaults)
            // The threads of the concurrency runtime block signals, and a process begins with its parent's mask.
            var blocked = sigset_t()
            sigemptyset(&blocked)
            posix_spawnattr_setsigmask(&attributes, &blocked)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
            var arguments = words.map { strdup($0) } + [nil]
            let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
            var settings = environment.map { strdup("\($0)=\($1)") } + [nil]
            defer { for text in arguments + settings { free(text) } }
            return posix_spawn(&process, "/bin/sh", nil, &attributes, &arguments, &settings)
        }
    #endif
}

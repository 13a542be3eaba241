import Foundation
import Synchronization

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

/// The built program `passcode`, as another process.
///
/// Not Foundation's `Process`, which sometimes misses the end of one of several processes started at the same moment.
final class PasscodeProgram: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The lines of standard output, until the program ends.
    let lines: AsyncStream<String>
    private let end: AsyncStream<CInt>
    let id: pid_t
    /// Whether the id may belong to another process by now.
    private let isGone: Gone

    private final class Gone: Sendable {
        let value = Mutex(false)
    }

    /// Held from the creation of the pipes until exec closes their ends, so that no other child inherits them.
    private static let starting = Mutex(())

    /// Starts the program with one line of standard input for each passcode.
    ///
    /// - Parameter hasOutput: Whether there is a standard output at all.
    convenience init(_ arguments: [String], passcodes: [String] = [], hasOutput: Bool = true) throws {
        let input = passcodes.map { $0 + "\n" }.joined()
        try self.init(arguments, input: Array(input.utf8), hasOutput: hasOutput)
    }

    /// A shell that becomes the program, with a limit of files. It closes the files that it has inherited from this
    /// process, or from the one that runs the tests: they would count.
    private static let limiting = """
        for file in /proc/self/fd/*; do [ "${file##*/}" -le 2 ] || eval "exec ${file##*/}>&-"; done
        ulimit -n "$1"; shift; exec "$@"
        """

    /// - Parameters:
    ///   - hasErrors: Whether its lines have standard error, too.
    ///   - limit: How many files it may have open, if that is limited.
    convenience init(
        _ arguments: [String], input: [UInt8], hasOutput: Bool = true, hasErrors: Bool = false,
        descriptors limit: Int? = nil
    ) throws {
        var words = [try Self.path] + arguments
        if let limit { words = ["/bin/bash", "-c", Self.limiting, "bash", "\(limit)"] + words }
        let (id, output) = try Self.starting.withLock { [words] _ in
            try Self.spawn(words, input: input, hasOutput: hasOutput, hasErrors: hasErrors)
        }
        self.init(id, output: output)
    }

    /// Starts the program at a terminal.
    convenience init(_ arguments: [String], terminal name: String, environment: [String: String]) throws {
        let words = [try Self.path] + arguments
        let id = try Self.starting.withLock { _ in
            try Self.spawn(words, environment: environment, isLeader: true) { actions in
                for stream: CInt in 0...2 { posix_spawn_file_actions_addopen(&actions, stream, name, O_RDWR, 0) }
            }
        }
        self.init(id, output: nil)
    }

    private init(_ id: pid_t, output: CInt?) {
        let (lines, writing) = AsyncStream.makeStream(of: String.self)
        let (end, ending) = AsyncStream.makeStream(of: CInt.self)
        let isGone = Gone()
        (self.id, self.lines, self.end, self.isGone) = (id, lines, end, isGone)
        // A separate thread, because it blocks.
        Thread.detachNewThread {
            if let output {
                Self.readLines(output) { writing.yield($0) }
                close(output)
            }
            writing.finish()
            ending.yield(Self.wait(for: id, isGone))
            ending.finish()
        }
    }

    /// The exit code, or the negative number of the signal that ended the program.
    func exitCode() async -> CInt {
        for await code in end { return code }
        return .min
    }

    /// Kills the program at once.
    func kill() {
        isGone.value.withLock { isGone in
            guard !isGone else { return }
            _ = systemKill(id)
        }
    }

    /// Runs the program to its end.
    static func run(
        _ arguments: [String], passcodes: [String] = [], hasOutput: Bool = true
    ) async throws -> (exitCode: CInt, lines: [String]) {
        try await PasscodeProgram(arguments, passcodes: passcodes, hasOutput: hasOutput).result()
    }

    /// The same with any bytes for standard input, and with the lines of standard error.
    static func run(
        _ arguments: [String], input: [UInt8], descriptors limit: Int? = nil
    ) async throws -> (exitCode: CInt, lines: [String]) {
        try await PasscodeProgram(arguments, input: input, hasErrors: true, descriptors: limit).result()
    }

    private func result() async throws -> (exitCode: CInt, lines: [String]) {
        var lines: [String] = []
        for await line in self.lines { lines.append(line) }
        return (await exitCode(), lines)
    }

    // MARK: The operating system

    private static func spawn(
        _ arguments: [String], input: [UInt8], hasOutput: Bool, hasErrors: Bool
    ) throws -> (id: pid_t, output: CInt) {
        let (childInput, writing) = try makePipe()
        let (reading, childOutput) = try makePipe()
        // The input fits into the pipe, whose reading end is open.
        _ = write(writing, input, input.count)
        close(writing)
        defer {
            close(childInput)
            close(childOutput)
        }
        do {
            let id = try spawn(arguments) { actions in
                posix_spawn_file_actions_adddup2(&actions, childInput, 0)
                posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
                if !hasOutput { posix_spawn_file_actions_addclose(&actions, 1) }
                if hasErrors {
                    posix_spawn_file_actions_adddup2(&actions, childOutput, 2)
                } else {
                    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
                }
            }
            return (id, reading)
        } catch {
            close(reading)
            throw error
        }
    }

    #if canImport(Glibc) || canImport(Musl)
        private typealias FileActions = posix_spawn_file_actions_t
        private typealias Attributes = posix_spawnattr_t
        private static var noActions: FileActions { FileActions() }
        private static var noAttributes: Attributes { Attributes() }
    #else
        private typealias FileActions = posix_spawn_file_actions_t?
        private typealias Attributes = posix_spawnattr_t?
        private static var noActions: FileActions { nil }
        private static var noAttributes: Attributes { nil }
    #endif

    /// - Parameter isLeader: Whether the program gets its own session, with the first terminal that it opens.
    private static func spawn(
        _ arguments: [String], environment: [String: String] = [:], isLeader: Bool = false,
        _ addStreams: (inout FileActions) -> Void
    ) throws -> pid_t {
        var actions = noActions
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        addStreams(&actions)
        var attributes = noAttributes
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        #if canImport(Darwin)
            let newSession = Int16(POSIX_SPAWN_SETSID)
        #else
            // POSIX_SPAWN_SETSID, which the Glibc module does not have.
            let newSession: Int16 = 0x80
        #endif
        if isLeader { posix_spawnattr_setflags(&attributes, newSession) }
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var id = pid_t()
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        let error = posix_spawn(&id, arguments[0], &actions, &attributes, &argv, &envp)
        guard error == 0 else { throw Failure(description: "“passcode” could not be started: error \(error).") }
        return id
    }

    private static func makePipe() throws -> (reading: CInt, writing: CInt) {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(description: "No pipe: error \(errno).") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func readLines(_ output: CInt, _ yield: (String) -> Void) {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(output, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return }
            if byte == UInt8(ascii: "\n") {
                yield(String(decoding: line, as: UTF8.self))
                line = []
            } else {
                line.append(byte)
            }
        }
    }

    private static func wait(for id: pid_t, _ isGone: Gone) -> CInt {
        // Waiting with this option does not free the id.
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return isGone.value.withLock { isGone in
            var status: CInt = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            isGone = true
            let signal = status & 0x7F
            return signal == 0 ? (status >> 8) & 0xFF : -signal
        }
    }

    /// The program beside the tests.
    private static var path: String {
        get throws {
            let bundles = [Bundle(for: PasscodeProgram.self).bundleURL, URL(filePath: CommandLine.arguments[0])]
            for bundle in bundles {
                let path = bundle.deletingLastPathComponent().appending(path: "passcode").path
                if FileManager.default.isExecutableFile(atPath: path) { return path }
            }
            throw Failure(description: "There is no program “passcode” beside \(bundles.map(\.path)).")
        }
    }
}

/// The system's function: in a type that has one of its name, only a qualified one would reach it, and each C library
/// has another name.
private func systemKill(_ id: pid_t) -> CInt { kill(id, SIGKILL) }

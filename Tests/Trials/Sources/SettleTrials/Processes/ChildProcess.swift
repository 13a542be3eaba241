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

/// This program again, as a child process that carries out an order, with a pipe in each direction.
///
/// Not Foundation's `Process`: a trial starts thousands, kills them, and must know the moment.
struct ChildProcess: ~Copyable {
    private let id: pid_t
    private let input: CInt
    private let output: CInt
    private var status: CInt?

    /// Held from the creation of a pipe until exec closes its ends, so that no other child inherits them.
    private static let starting = Mutex(())

    /// A line for a child that has ended is an error of `write`, which ``say(_:)`` ignores, and not the end of this
    /// process.
    private static let outlivesChildren: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    init(_ order: ChildOrder, environment: [String: String] = [:]) throws {
        Self.outlivesChildren
        let arguments = [try Self.executable(), "child", try order.text]
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        (id, input, output) = try Self.starting.withLock { _ in
            let (childInput, input) = try Self.pipe()
            let (output, childOutput) = try Self.pipe()
            defer {
                close(childInput)
                close(childOutput)
            }
            #if canImport(Glibc) || canImport(Musl)
                var actions = posix_spawn_file_actions_t()
            #else
                var actions: posix_spawn_file_actions_t?
            #endif
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, childInput, 0)
            posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
            var id = pid_t()
            var argv = arguments.map { strdup($0) } + [nil]
            var envp = variables.map { strdup($0) } + [nil]
            defer { for pointer in argv + envp { free(pointer) } }
            let error = posix_spawn(&id, arguments[0], &actions, nil, &argv, &envp)
            guard error == 0 else { throw TrialError("A child could not be started: error \(error).") }
            return (id, input, output)
        }
    }

    deinit {
        close(input)
        close(output)
        guard status == nil else { return }
        // The child has not been waited for, so the id is still its own.
        _ = systemKill(id, SIGKILL)
        var ignored: CInt = 0
        while waitpid(id, &ignored, 0) < 0, errno == EINTR {}
    }

    /// The next line that the child prints, without its line break; `nil` if it has ended.
    func readLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// Sends a line for the child's `readLine` to return. Does nothing if the child has ended.
    func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(input, bytes, bytes.count)
    }

    /// Kills the child without running any more of its own code.
    func kill() {
        _ = systemKill(id, SIGKILL)
    }

    /// Lets the child do nothing until `proceed`.
    func pause() {
        _ = systemKill(id, SIGSTOP)
    }

    func proceed() {
        _ = systemKill(id, SIGCONT)
    }

    /// Waits for the child's end.
    mutating func wait() -> Ending {
        var value: CInt = 0
        while waitpid(id, &value, 0) < 0, errno == EINTR {}
        status = value
        let signal = value & 0x7F
        return signal == 0 ? .exit((value >> 8) & 0xFF) : .signal(signal)
    }

    enum Ending: Equatable {
        case exit(CInt)
        case signal(CInt)

        static let killed = Ending.signal(SIGKILL)
        static let success = Ending.exit(0)
    }

    private static func pipe() throws -> (reading: CInt, writing: CInt) {
        var ends: [CInt] = [0, 0]
        let result = systemPipe(&ends)
        guard result == 0 else { throw TrialError("A pipe could not be created: error \(errno).") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func executable() throws -> String {
        guard let path = Bundle.main.executablePath else { throw TrialError("The path of this program is unknown.") }
        return path
    }
}

// The system's functions: in a type whose own functions have their names, only qualified ones would reach them, and
// each C library has another name.
private func systemKill(_ id: pid_t, _ signal: CInt) -> CInt { kill(id, signal) }
private func systemPipe(_ ends: inout [CInt]) -> CInt { pipe(&ends) }

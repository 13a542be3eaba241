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

/// The built program `passcode` at a terminal, and the user who types and reads there.
final class PasscodeTerminal: Sendable {
    /// The user's end of the terminal.
    private let person: CInt
    /// The other end, which keeps the terminal's settings after the program has ended.
    private let kept: CInt
    private let before: [UInt8]
    private let program: PasscodeProgram
    private let shown = Mutex("")
    private let changes: AsyncStream<Void>

    init(_ arguments: [String], environment: [String: String] = [:], columns: Int = 80) throws {
        let (person, name) = try Self.openTerminal()
        self.person = person
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        kept = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        Self.resize(person, to: columns)
        before = Self.settings(of: kept)
        program = try PasscodeProgram(
            arguments, terminal: name,
            // Independent of the environment that the tests were started with.
            environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 })
        Thread.detachNewThread { [self] in
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(person, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                bytes += chunk.prefix(count)
                shown.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
                continuation.yield()
            }
            continuation.finish()
        }
    }

    /// All output so far, including control sequences.
    var text: String { shown.withLock { $0 } }

    /// Waits until a text is shown, after earlier output.
    ///
    /// - Returns: All output so far.
    @discardableResult
    func see(_ words: String, after seen: String = "") async -> String {
        while true {
            let text = text
            if text.dropFirst(seen.count).contains(words) { return text }
            var changes = changes.makeAsyncIterator()
            // The program has ended.
            guard await changes.next() != nil else { return self.text }
        }
    }

    func type(_ keys: String) {
        _ = write(person, keys, keys.utf8.count)
    }

    func type(_ bytes: [UInt8]) {
        _ = write(person, bytes, bytes.count)
    }

    func resize(to columns: Int) {
        Self.resize(person, to: columns)
    }

    /// Waits for the program's end, and closes the terminal.
    ///
    /// - Returns: Whether the terminal's settings are as they were before the program started.
    func end() async -> (exitCode: CInt, isAsBefore: Bool) {
        let code = await program.exitCode()
        let isAsBefore = Self.settings(of: kept) == before
        close(kept)
        for await _ in changes {}
        close(person)
        return (code, isAsBefore)
    }

    private static func openTerminal() throws -> (person: CInt, name: String) {
        let person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        #if canImport(Darwin)
            if person >= 0, grantpt(person) == 0, unlockpt(person) == 0, let name = ptsname(person) {
                return (person, String(cString: name))
            }
        #else
            // Replaces `unlockpt` and `ptsname`, which the Glibc module lacks: TIOCSPTLCK and TIOCGPTN.
            var (locked, number): (CInt, CUnsignedInt) = (0, 0)
            if person >= 0, ioctl(person, 0x4004_5431, &locked) == 0, ioctl(person, 0x8004_5430, &number) == 0 {
                return (person, "/dev/pts/\(number)")
            }
        #endif
        throw PasscodeProgram.Failure(description: "There is no terminal: error \(errno).")
    }

    private static func resize(_ person: CInt, to columns: Int) {
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(person, UInt(TIOCSWINSZ), &size)
    }

    private static func settings(of terminal: CInt) -> [UInt8] {
        var settings = termios()
        tcgetattr(terminal, &settings)
        return withUnsafeBytes(of: settings.c_lflag) { Array($0) } + withUnsafeBytes(of: settings.c_iflag) { Array($0) }
    }
}

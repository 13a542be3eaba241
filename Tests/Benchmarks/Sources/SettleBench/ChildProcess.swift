import ArgumentParser
import Foundation

/// This program again, as a child process that plays a role beside the measuring one.
final class ChildProcess {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()

    /// Returns once the child has reported that it is ready.
    init(_ role: ChildRole, _ file: URL) throws {
        process.executableURL = URL(filePath: Self.executablePath)
        process.arguments = ["child", role.rawValue, file.path]
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        guard receive() != nil else { throw ValidationError("The child “\(role.rawValue)” did not begin.") }
    }

    deinit {
        // The child ends when its input does.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// A number that the child has sent; `nil` if none arrives within two seconds.
    func receive() -> UInt64? {
        let file = output.fileHandleForReading.fileDescriptor
        var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 2_000) == 1 else { return nil }
        var number: UInt64 = 0
        guard read(file, &number, 8) == 8 else { return nil }
        return number
    }

    static var executablePath: String {
        #if os(Linux)
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        #else
            CommandLine.arguments[0]
        #endif
    }
}

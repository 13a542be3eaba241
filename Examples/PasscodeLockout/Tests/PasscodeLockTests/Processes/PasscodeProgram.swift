import Foundation
import Synchronization

/// The built program `passcode`, as another process.
final class PasscodeProgram: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The lines of its standard output, until it ends.
    let lines: AsyncStream<String>
    private let end: AsyncStream<Int32>
    /// Kept, because nobody else keeps it until its end is told.
    private let process: Process
    private static let starting = Mutex(())

    /// Starts it with one line of standard input for each passcode.
    init(_ arguments: [String], passcodes: [String] = []) throws {
        let process = Process()
        process.executableURL = try Self.url
        process.arguments = arguments
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let (end, ending) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            ending.yield(process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
            ending.finish()
        }
        let (lines, writing) = AsyncStream.makeStream(of: String.self)
        let rest = Mutex(Data())
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                writing.finish()
                return
            }
            for line in rest.withLock({ Self.takeLines(from: &$0, adding: data) }) { writing.yield(line) }
        }
        // A process that starts at the same moment would inherit this one's descriptors, and keep its end from being noticed.
        try Self.starting.withLock { _ in try process.run() }
        (self.end, self.lines, self.process) = (end, lines, process)
        try input.fileHandleForWriting.write(contentsOf: Data(passcodes.map { $0 + "\n" }.joined().utf8))
        try input.fileHandleForWriting.close()
    }

    /// The exit code, or the negative number of the signal that has ended it.
    func exitCode() async -> Int32 {
        for await code in end { return code }
        return .min
    }

    /// Ends it at once, wherever it is.
    func kill() {
        #if canImport(Darwin)
            Darwin.kill(process.processIdentifier, SIGKILL)
        #else
            Foundation.kill(process.processIdentifier, SIGKILL)
        #endif
    }

    /// Runs it to its end.
    static func run(
        _ arguments: [String], passcodes: [String] = []
    ) async throws -> (exitCode: Int32, lines: [String]) {
        let program = try PasscodeProgram(arguments, passcodes: passcodes)
        var lines: [String] = []
        for await line in program.lines { lines.append(line) }
        return (await program.exitCode(), lines)
    }

    private static func takeLines(from rest: inout Data, adding data: Data) -> [String] {
        rest += data
        var lines: [String] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = Data(rest[(end + 1)...])
        }
        return lines
    }

    /// Beside the tests.
    private static var url: URL {
        get throws {
            let bundles = [Bundle(for: PasscodeProgram.self).bundleURL, URL(filePath: CommandLine.arguments[0])]
            for bundle in bundles {
                let url = bundle.deletingLastPathComponent().appending(path: "passcode")
                if FileManager.default.isExecutableFile(atPath: url.path) { return url }
            }
            throw Failure(description: "There is no program “passcode” beside \(bundles.map(\.path)).")
        }
    }
}

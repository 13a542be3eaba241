import Foundation

/// A program of the system.
enum SystemTool {
    /// Whether it is there and succeeds.
    static func run(_ arguments: [String]) -> Bool { output(of: arguments) != nil }

    /// What it prints, without the line break; `nil` if it is not there or fails.
    static func output(of arguments: [String]) -> String? {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return nil }
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}

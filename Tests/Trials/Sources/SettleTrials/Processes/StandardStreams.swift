import Foundation

/// Unbuffered output, because `print` holds lines back when it writes to a pipe.
enum StandardStreams {
    static func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }

    /// Progress for the user.
    static func report(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}

import Foundation

/// Unbuffered output: `print` keeps lines back when it writes to a pipe.
enum StandardStreams {
    static func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }

    /// For people who watch.
    static func report(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}

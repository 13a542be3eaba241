import Foundation

/// The destination of the log.
enum StandardError {
    /// Writes a whole line at once, so that lines of several threads do not mix.
    @Sendable static func log(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}

import Foundation

/// A whole file replaced durably, and nothing else: the limit of a checkpoint.
enum PlainFile {
    /// - Returns: The nanoseconds it takes.
    static func replace(_ file: URL, with bytes: [UInt8]) throws -> Double {
        let (path, temporary) = (file.path, file.path + ".tmp")
        let folder = file.deletingLastPathComponent().path
        let start = nanoseconds()
        let new = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        var written = 0
        while new >= 0, written < bytes.count {
            let count = bytes.withUnsafeBytes { write(new, $0.baseAddress.map { $0 + written }, bytes.count - written) }
            guard count > 0 else { break }
            written += count
        }
        guard written == bytes.count, fsync(new) == 0, close(new) == 0, rename(temporary, path) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
        let parent = open(folder, O_RDONLY | O_CLOEXEC)
        guard parent >= 0, fsync(parent) == 0, close(parent) == 0 else { throw CocoaError(.fileWriteUnknown) }
        return Double(nanoseconds() - start)
    }
}

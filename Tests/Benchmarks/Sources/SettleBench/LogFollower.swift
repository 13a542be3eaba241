import ArgumentParser
import Foundation

/// Waits for an append to a file and reads it: the limit of following a journal.
final class LogFollower: @unchecked Sendable {
    // Sendable: only one thread calls `next`, and nothing else has access to the state.
    private let file: CInt
    private let notices: CInt
    private var end: Int

    init(_ url: URL) throws {
        file = open(url.path, O_RDONLY | O_CLOEXEC)
        #if os(Linux)
            notices = inotify_init1(Int32(IN_CLOEXEC))
            guard file >= 0, inotify_add_watch(notices, url.path, UInt32(IN_MODIFY)) >= 0 else {
                throw CocoaError(.fileReadUnknown)
            }
        #else
            throw ValidationError("The limit of R21 needs inotify.")
        #endif
        end = Int(lseek(file, 0, SEEK_END))
    }

    /// The first eight bytes of the next record.
    func next() -> Int {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
            var value = 0
            while true {
                _ = read(notices, buffer.baseAddress, buffer.count)
                let count = pread(file, buffer.baseAddress, buffer.count, off_t(end))
                guard count >= 8 else { continue }
                end += count
                value = buffer.loadUnaligned(as: Int.self)
                return value
            }
        }
    }
}

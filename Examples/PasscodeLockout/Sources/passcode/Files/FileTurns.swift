import Foundation

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

/// Keeps other processes from using a lock's files, during this object's lifetime: no try is in progress.
final class FileTurns {
    private var descriptors: [CInt] = []

    /// How long to wait for another process, in tenths of a second.
    private static let patience = 100

    /// - Throws: ``RecoveryError`` if another process keeps one of them.
    init(_ files: [URL]) throws {
        for file in files { try hold(file) }
    }

    deinit {
        // This releases them, too.
        for descriptor in descriptors { close(descriptor) }
    }

    private func hold(_ file: URL) throws {
        let descriptor = open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        // A process that could use it works as another user, and can't be kept away.
        guard descriptor >= 0 else { return }
        descriptors.append(descriptor)
        for _ in 0..<Self.patience {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            usleep(100_000)
        }
        throw RecoveryError("Another process is using “\(file.path)”. Nothing has changed; end it first.")
    }
}

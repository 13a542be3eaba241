#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The destination of the log and of messages to the user.
public enum StandardError {
    /// Writes a whole line at once, so that lines of several threads do not mix.
    public static func write(_ line: String) {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { system(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// The C library's function, which the one above shadows.
    #if canImport(Glibc)
        private static let system = Glibc.write
    #elseif canImport(Musl)
        private static let system = Musl.write
    #elseif canImport(Darwin)
        private static let system = Darwin.write
    #endif
}

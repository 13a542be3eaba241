#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where the log and sentences for people go.
public enum StandardError {
    /// Writes a line as a whole, so that lines of several threads don't mix.
    public static func write(_ line: String) {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { system(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// The function of the C library, which the one above hides.
    #if canImport(Glibc)
        private static let system = Glibc.write
    #elseif canImport(Musl)
        private static let system = Musl.write
    #elseif canImport(Darwin)
        private static let system = Darwin.write
    #endif
}

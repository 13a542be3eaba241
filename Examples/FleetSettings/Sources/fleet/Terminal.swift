#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Lines without a buffer.
enum Terminal {
    static func say(_ line: String) { write(line, to: STDOUT_FILENO) }

    static func complain(_ line: String) { write(line, to: STDERR_FILENO) }

    private static func write(_ line: String, to file: Int32) {
        var rest = Array("\(line)\n".utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                #if canImport(Glibc)
                    Glibc.write(file, bytes.baseAddress, bytes.count)
                #elseif canImport(Musl)
                    Musl.write(file, bytes.baseAddress, bytes.count)
                #else
                    Darwin.write(file, bytes.baseAddress, bytes.count)
                #endif
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

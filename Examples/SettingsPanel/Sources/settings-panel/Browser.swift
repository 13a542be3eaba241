#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The person's browser.
enum Browser {
    /// Opens a link, with what the system has for that. If it has nothing, the person has the link.
    static func open(_ link: String) {
        #if canImport(Darwin)
            let program = "open"
        #else
            let program = "xdg-open"
        #endif
        var process = pid_t()
        let words: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(link), nil]
        defer { for word in words { free(word) } }
        _ = posix_spawnp(&process, program, nil, nil, words, environ)
    }
}

/// Lines for the person who has started the program, without a buffer.
enum Terminal {
    static func say(_ line: String) { write(line, to: STDOUT_FILENO) }

    static func complain(_ line: String) { write(line, to: STDERR_FILENO) }

    private static func write(_ line: String, to file: Int32) {
        var rest = Array("\(line)\n".utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    Darwin.write(file, bytes.baseAddress, bytes.count)
                #elseif canImport(Musl)
                    Musl.write(file, bytes.baseAddress, bytes.count)
                #else
                    Glibc.write(file, bytes.baseAddress, bytes.count)
                #endif
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

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

/// Lines without a buffer. Parts of them come from the cluster, so they are written without control characters.
enum Terminal {
    static func say(_ line: String) { write(line.withoutControls, to: STDOUT_FILENO) }

    static func complain(_ line: String) { write(line.withoutControls, to: STDERR_FILENO) }

    /// Writes JSON, which may have several lines. Other programs can read it: it is the same value.
    static func show(json: String) { write(json.withEscapedControls, to: STDOUT_FILENO) }

    /// Whether standard output is a terminal.
    static var showsOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The characters of a line and the lines of the terminal.
    static var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes a text that moves the cursor, without a new line at its end. Texts from the cluster must be cleaned before.
    static func write(_ text: String) { write(text, "", to: STDOUT_FILENO) }

    private static func write(_ line: String, _ end: String = "\n", to file: Int32) {
        var rest = Array((line + end).utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// The system's function: in a type whose own functions have its name, only a qualified one would reach it, and each C
/// library has another name.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

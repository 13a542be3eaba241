/// Assembles lines from the pieces that a stream delivers.
struct LineSplitter {
    private var rest: [UInt8] = []

    /// - Returns: The lines that are now complete, without empty ones.
    mutating func add(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            if byte != UInt8(ascii: "\n") {
                rest.append(byte)
            } else if !rest.isEmpty {
                lines.append(rest)
                rest.removeAll()
            }
        }
        return lines
    }

    /// Ends the input.
    ///
    /// - Returns: The bytes after the last line ending; `nil` if there are none.
    mutating func finish() -> [UInt8]? {
        defer { rest = [] }
        return rest.isEmpty ? nil : rest
    }
}

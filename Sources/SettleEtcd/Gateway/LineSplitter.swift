/// Puts lines together from the pieces in which a stream brings them.
struct LineSplitter {
    private var rest: [UInt8] = []

    /// - Returns: The lines that are complete now, without empty ones.
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

    /// The stream has ended.
    ///
    /// - Returns: What came after the last end of a line; `nil` if nothing did.
    mutating func finish() -> [UInt8]? {
        defer { rest = [] }
        return rest.isEmpty ? nil : rest
    }
}

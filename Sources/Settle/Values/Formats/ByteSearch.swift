/// Searches bytes for a part, and skips most of them (Horspool's algorithm).
///
/// Pure.
struct ByteSearch {
    private let part: [UInt8]
    /// The distance to the next offset at which the part may end, by the byte at the last such offset.
    private let steps: [Int]

    /// - Parameter part: Two bytes or more.
    init(_ part: [UInt8]) {
        self.part = part
        var steps = Array(repeating: part.count, count: 256)
        for (index, byte) in part.dropLast().enumerated() { steps[Int(byte)] = part.count - 1 - index }
        self.steps = steps
    }

    /// Returns the offset of the part, if it occurs exactly once.
    func onlyPlace(in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let place = place(in: bytes, from: 0), self.place(in: bytes, from: place + 1) == nil else {
                return nil
            }
            return place
        }
    }

    private func place(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        part.withUnsafeBytes { part in
            steps.withUnsafeBufferPointer { steps in
                var end = start + part.count - 1
                while end < bytes.count {
                    let start = end - (part.count - 1)
                    // Two bytes, because the last one of a name is always a quotation mark.
                    if bytes[end] == part[part.count - 1], bytes[end - 1] == part[part.count - 2],
                        UnsafeRawBufferPointer(rebasing: bytes[start...end]).isEqual(to: part)
                    {
                        return start
                    }
                    end += steps[Int(bytes[end])]
                }
                return nil
            }
        }
    }
}

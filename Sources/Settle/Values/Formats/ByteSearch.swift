/// Looks for some bytes in others, and skips most of those (Horspool's algorithm).
///
/// Pure.
struct ByteSearch {
    private let part: [UInt8]
    /// How far the next place is at which the part may end, by the byte at the last such place.
    private let steps: [Int]

    /// - Parameter part: Two bytes or more.
    init(_ part: [UInt8]) {
        self.part = part
        var steps = Array(repeating: part.count, count: 256)
        for (index, byte) in part.dropLast().enumerated() { steps[Int(byte)] = part.count - 1 - index }
        self.steps = steps
    }

    /// Where the part begins, if it stands there once.
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

import NIOCore

/// The length of a request's first line, also of one that never ends.
struct RequestLine {
    /// The maximum length of a path with its query, in bytes.
    static let limit = 8 * 1_024

    private var first: UInt8?
    private var length = 0
    private var isComplete = false

    var isTooLong: Bool { length > Self.limit }

    /// Whether the first word may be a method, and not anything other than HTTP.
    var hasMethod: Bool { first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ?? false }

    mutating func append(_ bytes: ByteBufferView) {
        guard !isComplete else { return }
        first = first ?? bytes.first
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        length += (end ?? bytes.endIndex) - bytes.startIndex
        isComplete = end != nil
    }
}

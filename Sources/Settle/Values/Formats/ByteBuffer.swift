/// Bytes to which others are appended, a few at a time.
///
/// An array checks for each append whether it is shared and has room, which takes longer than writing a byte. This
/// memory belongs to one variable, and only the functions here have pointers into it, while they run.
struct ByteBuffer: ~Copyable {
    private var memory = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.firstCapacity)
    private var capacity = Self.firstCapacity
    private(set) var count = 0

    private static let firstCapacity = 64

    init() {}

    deinit { memory.deallocate() }

    /// A copy of the bytes.
    var array: [UInt8] { Array(UnsafeBufferPointer(start: memory, count: count)) }

    private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: memory, count: count))
    }

    // MARK: Room

    /// Makes room for some more bytes.
    mutating func reserve(_ more: Int) {
        if capacity - count < more { grow(by: more) }
    }

    @inline(never) private mutating func grow(by more: Int) {
        let room = max(2 * capacity, count + more)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: room)
        moved.initialize(from: memory, count: count)
        memory.deallocate()
        memory = moved
        capacity = room
    }

    /// Appends bytes that the caller writes right away.
    private mutating func extend(by size: Int) -> UnsafeMutablePointer<UInt8> {
        reserve(size)
        let start = memory + count
        count += size
        return start
    }

    // MARK: Appending

    mutating func append(_ byte: UInt8) { extend(by: 1).initialize(to: byte) }

    mutating func append(_ bytes: [UInt8]) {
        let start = extend(by: bytes.count)
        bytes.withUnsafeBufferPointer { bytes in
            if let first = bytes.baseAddress { start.initialize(from: first, count: bytes.count) }
        }
    }

    mutating func append(_ text: String) {
        // Borrowed, because counting a reference waits for all reads of memory before it.
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { utf8 in
            guard let first = utf8.baseAddress else { return }
            extend(by: utf8.count).initialize(from: first, count: utf8.count)
        }
        if isDone == nil { for byte in text.utf8 { append(byte) } }
    }

    /// Appends an integer in decimal digits.
    mutating func append(decimal number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        var (size, power) = (1, UInt64(10))
        // A magnitude has at most 19 digits, and a power of 20 digits still fits.
        while rest >= power { (size, power) = (size + 1, power * 10) }
        var digit = extend(by: size) + size
        repeat {
            digit -= 1
            digit.initialize(to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
    }

    mutating func removeLast(_ number: Int) { count -= number }
}

// MARK: JSON

extension ByteBuffer {
    /// Appends a JSON string.
    mutating func append(quoted text: String) {
        append(UInt8(ascii: "\""))
        let start = count
        append(text)
        if hasEscaped(start..<count) {
            removeLast(count - start)
            for byte in text.utf8 { append(escaped: byte) }
        }
        append(UInt8(ascii: "\""))
    }

    /// Whether a range has bytes that are escaped in a JSON string.
    private func hasEscaped(_ range: Range<Int>) -> Bool {
        withBytes { bytes in
            guard range.count >= 8 else { return bytes[range].contains(where: \.isEscapedInJSON) }
            // The last eight bytes, some of which are checked twice.
            var found = Self.escaped(in: bytes.word(at: range.upperBound - 8))
            for offset in stride(from: range.lowerBound, to: range.upperBound - 8, by: 8) {
                found |= Self.escaped(in: bytes.word(at: offset))
            }
            return found != 0
        }
    }

    /// Not zero if a byte of the word is a quotation mark, a backslash or a control character in ASCII.
    private static func escaped(in word: UInt64) -> UInt64 {
        let controls = (word &- 0x2020_2020_2020_2020) & ~word
        let marks = zeroBytes(in: word ^ 0x2222_2222_2222_2222) | zeroBytes(in: word ^ 0x5C5C_5C5C_5C5C_5C5C)
        return (controls | marks | zeroBytes(in: word ^ 0x7F7F_7F7F_7F7F_7F7F)) & 0x8080_8080_8080_8080
    }

    /// The top bit of a byte is set in the lowest zero byte, and never set if there is none.
    private static func zeroBytes(in word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case _ where byte.isEscapedInJSON:
            append(byte < 0x10 ? "\\u000" : "\\u00")
            append(String(byte, radix: 16))
        default: append(byte)
        }
    }
}

extension UInt8 {
    fileprivate var isEscapedInJSON: Bool {
        self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") || self == 0x7F
    }
}

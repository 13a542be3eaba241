import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// SHA-256 of several values. What has no fixed length is preceded by its length, so that no two sequences of values
/// have the same bytes.
struct Checksum {
    private var hash = SHA256()

    /// - Parameter name: Of what is summed up, so that nothing passes for something else.
    init(of name: String) {
        add(name)
    }

    mutating func add(_ number: Int) {
        add(bits: UInt64(bitPattern: Int64(number)))
    }

    mutating func add(_ data: Data) {
        add(data.count)
        hash.update(data: data)
    }

    mutating func add(_ text: String) {
        add(Data(text.utf8))
    }

    mutating func add(_ date: Date) {
        add(bits: date.timeIntervalSinceReferenceDate.bitPattern)
    }

    mutating func add(_ duration: Duration) {
        // `components` traps where an edited file has more seconds than its type.
        let attoseconds = UInt128(bitPattern: duration.attoseconds)
        add(bits: UInt64(truncatingIfNeeded: attoseconds))
        add(bits: UInt64(truncatingIfNeeded: attoseconds >> 64))
    }

    mutating func add<Value>(_ value: Value?, _ body: (inout Checksum, Value) -> Void) {
        add(value == nil ? 0 : 1)
        if let value { body(&self, value) }
    }

    /// As 64 hexadecimal digits.
    var text: String {
        hash.finalize().map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    private mutating func add(bits: UInt64) {
        withUnsafeBytes(of: bits.littleEndian) { hash.update(bufferPointer: $0) }
    }
}

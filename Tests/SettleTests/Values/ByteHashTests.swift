import Testing

@testable import Settle

@Suite struct ByteHashTests {
    private func hash(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBytes { ByteHash.hash($0) } }

    @Test("The hash depends on each byte and on the number of bytes") func dependence() {
        for count in 0...70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 1) }
            let known = hash(bytes)
            #expect(hash(bytes) == known)
            #expect(hash(bytes + [0]) != known)
            for index in bytes.indices {
                var others = bytes
                others[index] ^= 0x80
                #expect(hash(others) != known, "byte \(index) of \(count)")
            }
        }
    }

    @Test("Names that differ in their last digits spread over a table", arguments: [3, 7, 12, 21, 40])
    func spread(length: Int) {
        let size = 1 << 12
        var found = Set<Int>()
        for number in 0..<size {
            let digits = String(number, radix: 36)
            let name = String(repeating: "a", count: max(0, length - digits.count)) + digits
            found.insert(name.byteHash & (size - 1))
        }
        // Of as many random positions, 63 % are distinct.
        #expect(found.count > size * 6 / 10)
    }

    @Test("Equal names have equal hashes, whatever their storage") func equalStorage() {
        let text = "accounts.someone with a long name.\u{E9}"
        let copy = String(decoding: Array(text.utf8), as: UTF8.self)
        let slice = String(("x" + text).dropFirst())
        for other in [copy, slice] { #expect(other.byteHash == text.byteHash) }
    }
}

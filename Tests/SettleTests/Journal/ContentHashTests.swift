import Settle
import Testing

@Suite struct ContentHashTests {
    private func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { ContentHash.value(of: $0, seed: seed) }
    }

    @Test("Every bit, the length and the seed affect the hash")
    func sensitivity() {
        var seen: Set<UInt64> = []
        var count = 0
        for size in 0..<70 {
            let bytes = (0..<size).map { UInt8($0 * 7 & 0xFF) }
            for seed in [0, 1, .max] as [UInt64] {
                seen.insert(hash(bytes, seed: seed))
                count += 1
            }
            seen.insert(hash([UInt8](repeating: 0, count: size)))
            count += size == 0 ? 0 : 1
            for bit in 0..<(8 * size) {
                var flipped = bytes
                flipped[bit / 8] ^= 1 << (bit % 8)
                seen.insert(hash(flipped))
                count += 1
            }
        }
        // A single zero is hashed both as `bytes` and as zeros.
        #expect(count - seen.count <= 1)
    }

    @Test("The alignment of the bytes does not affect the hash")
    func alignment() {
        let bytes = (0..<100).map { UInt8($0) }
        for start in 0..<16 {
            let moved = [UInt8](repeating: 1, count: start) + bytes
            moved.withUnsafeBytes {
                #expect(ContentHash.value(of: UnsafeRawBufferPointer(rebasing: $0[start...])) == hash(bytes))
            }
        }
    }

    @Test("Hashes never change, because files contain them")
    func fixedValues() {
        #expect(hash([]) == 17_445_047_670_998_425_665)
        #expect(hash(Array("Settle".utf8)) == 5_849_522_623_556_365_475)
        #expect(hash((0..<100).map { UInt8($0) }, seed: 7) == 17_529_641_003_347_177_893)
    }

    @Test("The version of a missing file differs from that of an empty one")
    func absentFile() {
        #expect(FileVersion(of: []) != .absent)
        #expect(FileVersion(of: []).size == 0)
        #expect(FileVersion(of: [1]) != FileVersion(of: [2]))
    }
}

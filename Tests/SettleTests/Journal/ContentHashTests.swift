import Settle
import Testing

@Suite struct ContentHashTests {
    private func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { ContentHash.value(of: $0, seed: seed) }
    }

    private func fileHash(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { ContentHash.value(ofFile: $0) }
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

    @Test("Every bit of a file affects its hash, and so does the order of its parts", arguments: [4_095, 4_096, 4_175])
    func files(size: Int) {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) }
        var seen: Set<UInt64> = [fileHash(bytes)]
        var count = 1
        func add(_ bytes: [UInt8]) {
            seen.insert(fileHash(bytes))
            count += 1
        }
        for bit in 0..<(8 * size) where bit < 1_024 || bit > 8 * size - 1_024 || bit % 61 == 0 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            add(flipped)
        }
        for start in 0..<size / 16 - 1 {
            var swapped = bytes
            let first = start * 16
            for index in first..<first + 16 { swapped.swapAt(index, index + 16) }
            add(swapped)
        }
        for zeros in [size, size + 64, size + 128] { add([UInt8](repeating: 0, count: zeros)) }
        #expect(seen.count == count)
    }

    @Test("The alignment of the bytes does not affect the hash")
    func alignment() {
        for bytes in [100, 5_000].map({ size in (0..<size).map { UInt8($0 & 0xFF) } }) {
            for start in 0..<16 {
                let moved = [UInt8](repeating: 1, count: start) + bytes
                moved.withUnsafeBytes {
                    let part = UnsafeRawBufferPointer(rebasing: $0[start...])
                    #expect(ContentHash.value(of: part) == hash(bytes))
                    #expect(ContentHash.value(ofFile: part) == fileHash(bytes))
                }
            }
        }
    }

    @Test("Hashes never change, because files contain them")
    func fixedValues() {
        #expect(hash([]) == 17_445_047_670_998_425_665)
        #expect(hash(Array("Settle".utf8)) == 5_849_522_623_556_365_475)
        #expect(hash((0..<100).map { UInt8($0) }, seed: 7) == 17_529_641_003_347_177_893)
        #expect(fileHash((0..<100).map { UInt8($0) }) == hash((0..<100).map { UInt8($0) }))
        #expect(fileHash((0..<5_000).map { UInt8($0 & 0xFF) }) == 4_975_774_099_130_601_159)
    }

    @Test("The version of a missing file differs from that of an empty one")
    func absentFile() {
        #expect(FileVersion(of: []) != .absent)
        #expect(FileVersion(of: []).size == 0)
        #expect(FileVersion(of: [1]) != FileVersion(of: [2]))
    }
}

import Foundation

/// Reproducible random numbers (the SplitMix64 sequence).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// Draws seeds in a row, and prints the first one at once: a test that traps reports nothing.
func drawSeeds(_ count: UInt64, file: String = #fileID) -> Range<UInt64> {
    let first = UInt64.random(in: 0 ... .max >> 1)
    FileHandle.standardError.write(Data("\(file): \(count) seeds from \(first) on\n".utf8))
    return first..<first + count
}

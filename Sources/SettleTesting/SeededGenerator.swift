import Settle

/// Random numbers that a printed seed reproduces.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Draws the seed, and prints it; see ``drawSeed(file:test:)``.
    package init(file: String = #fileID, test: String = #function) {
        self.init(seed: Self.drawSeed(file: file, test: test))
    }

    /// Draws a seed, from which others can be counted, and prints it at once: a test that traps reports nothing.
    package static func drawSeed(file: String = #fileID, test: String = #function) -> UInt64 {
        let seed = UInt64.random(in: 0 ... .max >> 1)
        writeToStandardError("\(file), \(test): seed \(seed)")
        return seed
    }

    /// Returns the next number by the SplitMix64 step.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

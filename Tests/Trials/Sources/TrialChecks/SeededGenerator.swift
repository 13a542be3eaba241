/// Reproducible random numbers: SplitMix64.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// A pseudorandom number that depends only on its two arguments.
    public static func number(seed: UInt64, at place: Int) -> UInt64 {
        mixed(mixed(seed) &+ UInt64(bitPattern: Int64(place)) &* 0x9E37_79B9_7F4A_7C15)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

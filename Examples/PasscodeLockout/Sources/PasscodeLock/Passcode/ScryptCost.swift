/// How much work a guess costs with scrypt. It needs `128 × rounds × blockSize` bytes of memory.
public struct ScryptCost: Sendable, Hashable, Codable {
    /// A power of two.
    public var rounds: Int
    public var blockSize: Int
    public var parallelism: Int

    public init(rounds: Int, blockSize: Int = 8, parallelism: Int = 1) {
        self.rounds = rounds
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// 32 MiB and some tenths of a second per guess: of the costs that OWASP's cheat sheet for stored passwords treats
    /// as equivalent, one that a phone can afford.
    public static let standard = ScryptCost(rounds: 1 << 15, parallelism: 3)

    /// Whether a guess can be checked in reasonable time and memory, even if the file was edited.
    var isReasonable: Bool {
        rounds.nonzeroBitCount == 1 && 2...(1 << 20) ~= rounds && 1...32 ~= blockSize && 1...16 ~= parallelism
    }
}

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

    /// Whether scrypt can be run with these numbers at all.
    var isPossible: Bool {
        rounds >= 2 && rounds.nonzeroBitCount == 1 && blockSize >= 1 && parallelism >= 1
    }

    /// Whether a guess takes less than about a second and 128 MiB: four times ``standard``. An edited file could
    /// otherwise occupy the machine.
    var isBearable: Bool {
        work <= 4 * Self.standard.work && memory <= 4 * Self.standard.memory
    }

    // As floating-point numbers, which don't overflow.
    private var work: Double { memory * Double(parallelism) }
    private var memory: Double { Double(rounds) * Double(blockSize) }
}

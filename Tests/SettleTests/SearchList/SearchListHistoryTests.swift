import Testing

/// Random histories of stores with many domains, against a naive search list. Promises 22 to 24.
@Suite(.timeLimit(.minutes(10))) struct SearchListHistoryTests {
    /// In parts, which run at the same time.
    @Test("Ten thousand random histories agree with a naive search list after each step", arguments: 0..<10)
    func histories(part: Int) async throws {
        let start = UInt64.random(in: 0 ... .max >> 1)
        for seed in start..<start + 1_000 { try await Self.run(seed) }
    }

    private static func run(_ seed: UInt64) async throws {
        let history = try await SearchListHistory(seed: seed)
        for _ in 0..<10 { try await history.step() }
        try await history.close()
    }
}

/// Checks a writer that waits until its value is in force on every machine: after each success, no machine has an older
/// value.
public struct WaitVerdict: Sendable {
    /// The number of successes.
    public private(set) var count = 0
    /// A sentence for each machine that had an older value.
    public private(set) var sentences: [String] = []

    /// - Parameters:
    ///   - writer: “waited” with a value and the times when its write began and when it was said to be in force
    ///     everywhere. Each value is higher than the one before.
    ///   - services: Of each machine, over all its lives, which begin with “began” or “again”: “force” with a time and the
    ///     value that was in force after it.
    public init(writer: [Acknowledgement], services: [[Acknowledgement]]) {
        let lives = services.map(Self.lives)
        for line in writer where line.word == "waited" && line.numbers.count == 3 {
            let (value, start, end) = (line.numbers[0], line.numbers[1], line.numbers[2])
            count += 1
            for (service, lives) in lives.enumerated() {
                // One that began later was not asked: it may begin with its last known values, and reports them then.
                let old = lives.lazy.filter { ($0.first?.time ?? .max) < start }.flatMap { $0 }
                    .first { $0.time > end && $0.value < value }
                guard let old else { continue }
                sentences.append(
                    "\(value) was said to be in force everywhere, and \((old.time - end) / 1_000) µs later service "
                        + "\(service + 1) had \(old.value).")
            }
        }
    }

    private struct Sample {
        var time: Int
        var value: Int
    }

    private static func lives(_ lines: [Acknowledgement]) -> [[Sample]] {
        lines.reduce(into: [[]]) { lives, line in
            switch line.word {
            case "began", "again": lives.append([])
            case "force" where line.numbers.count == 2:
                lives[lives.count - 1].append(Sample(time: line.numbers[0], value: line.numbers[1]))
            default: break
            }
        }
    }
}

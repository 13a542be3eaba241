/// The outcome of a trial for a contender.
public struct TrialReport: Sendable, Codable {
    public var trial: String
    public var contender: String
    public var figures: [Figure]
    /// What went wrong, as sentences: the first few of each kind.
    public var problems: [String]
    /// Why the trial was skipped, if it was.
    public var skipped: String?

    public init(
        _ trial: String, _ contender: String, figures: [Figure] = [], problems: [String] = [], skipped: String? = nil
    ) {
        self.trial = trial
        self.contender = contender
        self.figures = figures
        self.problems = problems
        self.skipped = skipped
    }

    /// Whether a promise was broken.
    public var hasLoss: Bool {
        figures.contains { $0.isLoss && $0.value != 0 }
    }

    /// The table's cell. Losses are bold.
    public var cell: String {
        if let skipped { return "skipped: \(skipped)" }
        return figures.map { $0.isLoss && $0.value != 0 ? "**\($0.text)**" : $0.text }.joined(separator: ", ")
    }
}

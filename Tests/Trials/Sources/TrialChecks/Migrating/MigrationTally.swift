/// The verdicts of many migrations.
public struct MigrationTally: Sendable {
    public var problems = Problems()
    private var migrations = 0
    private var (commits, kills, killsWhileMigrating, refused) = (0, 0, 0, 0)
    private var longestCommit = 0
    private var (lost, invented, notOnce, late, kept, heldUp) = (0, 0, 0, 0, 0, 0)

    public init() {}

    public mutating func add(_ verdict: MigrationVerdict, _ round: String) {
        migrations += 1
        lost += verdict.lost.count
        invented += verdict.invented.count
        notOnce += verdict.notOnce.count
        late += verdict.late.count
        kept += verdict.kept.count
        heldUp += verdict.heldUp.count
        for sentence in verdict.sentences { problems.add("\(round): \(sentence)") }
    }

    public mutating func add(_ writer: MigratingWriter, kills: Int, _ problems: Problems) {
        commits += writer.acknowledged
        refused += writer.refused
        longestCommit = max(longestCommit, writer.longestCommit)
        self.kills += kills
        killsWhileMigrating += writer.cutMigrations
        self.problems.add(problems)
    }

    public var figures: [Figure] {
        [
            Figure("migrations", migrations), Figure("commits", commits), Figure("kills", kills),
            Figure("of them while migrating", killsWhileMigrating), Figure("refused older programs", refused),
            .time("longest commit", longestCommit), .loss("lost or torn commits", lost),
            .loss("values that nobody stored", invented),
            .loss("steps not made exactly once", notOnce), .loss("late writes of older programs", late),
            .loss("wrong versions from before", kept), .loss("tools held up", heldUp),
            .loss("failures", problems.count(of: .failure)),
        ]
    }
}

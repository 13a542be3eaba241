/// The verdicts of many kills.
public struct KillTally: Sendable {
    public var kills = 0
    public var killsWhileOpening = 0
    public var problems = Problems()
    private var withLostCommits = 0
    private var torn = 0
    private var noState = 0
    private var tooOld = 0
    private var lostWrites = Distribution()
    private var lostTime = Distribution()

    /// A plain write older than this at the kill must survive. A save takes a few milliseconds; the rest is for busy
    /// machines. A store that waited for the quiet period of 250 ms would be caught.
    public static let longestLoss = 100_000_000

    public init() {}

    public mutating func add(_ verdict: KillVerdict, _ description: @autoclosure () -> String) {
        lostWrites.add(verdict.lostWrites)
        lostTime.add(verdict.lostTime)
        if verdict.lostCommits > 0 { withLostCommits += 1 }
        if verdict.isTorn { torn += 1 }
        if verdict.isNoState { noState += 1 }
        if verdict.lostTime > Self.longestLoss { tooOld += 1 }
        if verdict.lostCommits > 0 { problems.add("\(verdict.lostCommits) commits lost: \(description())") }
        if verdict.isTorn { problems.add("A transaction is torn: \(description())") }
        if verdict.isNoState { problems.add("Not a state of any moment: \(description())") }
    }

    public mutating func add(_ other: KillTally) {
        kills += other.kills
        killsWhileOpening += other.killsWhileOpening
        problems.add(other.problems)
        withLostCommits += other.withLostCommits
        torn += other.torn
        noState += other.noState
        tooOld += other.tooOld
        lostWrites.add(other.lostWrites)
        lostTime.add(other.lostTime)
    }

    public var figures: [Figure] {
        [
            Figure("kills", kills), Figure("of them while opening", killsWhileOpening),
            .loss("lost acknowledged commits", withLostCommits), .loss("torn transactions", torn),
            .loss("states of no moment", noState), .loss("damaged files and failures", problems.count(of: .failure)),
            .loss("lost plain writes older than 100 ms", tooOld),
            .time("plain writes lost: median", lostTime.median), .time("99th percentile", lostTime.quantile(0.99)),
            .time("worst", lostTime.worst), Figure("writes at worst", lostWrites.worst),
        ]
    }
}

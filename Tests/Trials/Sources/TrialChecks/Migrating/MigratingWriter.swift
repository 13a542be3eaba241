/// What one of the programs that share a file has tried and finished while one of them migrates it.
///
/// Each commit writes the number of its step to the program's own keys, and adds one to a counter that it shares with
/// others.
public struct MigratingWriter: Sendable, Hashable {
    /// The commits that have returned.
    public private(set) var acknowledged = 0
    /// The commits that a kill has cut off, which are stored or not.
    public private(set) var cut = 0
    /// The commits that were refused because a newer program had migrated the file.
    public private(set) var refused = 0
    public private(set) var lastAttempted = 0
    /// When the program had opened the file.
    public private(set) var openings: [Int] = []
    /// When the last step of its migrations ran.
    public private(set) var migrations: [Int] = []
    /// How many processes were killed after the last step and before they had opened the file.
    public private(set) var cutMigrations = 0
    /// When each commit had returned.
    public private(set) var commits: [Int] = []
    /// How long the longest of them took, in nanoseconds.
    public private(set) var longestCommit = 0
    /// Whether the program has seen a value that the migration has made, and made a commit afterwards.
    public private(set) var hasGoneOn = false
    private var seesMigration = false
    private var lastAcknowledged = 0
    private var lastCut = 0
    private var isPending = false
    private var isMigrating = false

    public init() {}

    public mutating func add(_ line: Acknowledgement) {
        guard let number = line.numbers.first else { return }
        switch line.word {
        case "opened":
            openings.append(number)
            isMigrating = false
        case "migrating":
            migrations.append(number)
            isMigrating = true
        case "migrated": seesMigration = true
        case "try":
            lastAttempted = number
            isPending = true
        case "done":
            lastAcknowledged = lastAttempted
            acknowledged += 1
            commits.append(number)
            longestCommit = max(longestCommit, line.numbers.dropFirst().first ?? 0)
            hasGoneOn = hasGoneOn || seesMigration
            isPending = false
        case "refused":
            refused += 1
            isPending = false
        default: break
        }
    }

    /// The process has ended.
    public mutating func end() {
        if isMigrating { cutMigrations += 1 }
        isMigrating = false
        guard isPending else { return }
        cut += 1
        lastCut = lastAttempted
        isPending = false
    }

    /// The steps that the program's own keys may have.
    public var possible: ClosedRange<Int> { lastAcknowledged...max(lastAcknowledged, lastCut) }
}

import Foundation
import TrialChecks

/// The follower of a trial of histories, which is killed and restarted with the last token that it received.
struct FollowerLane: Sendable {
    private let trial: HistoryTrial
    private let place: ChildPlace
    private var random: SeededGenerator
    private(set) var record = FollowerRecord()
    private(set) var lives = 0
    /// How many lives received changes.
    private(set) var livesWithChanges = 0
    /// The newest transactions, as read from the history between its lives.
    private(set) var glances: [[ReportedTransaction]] = []
    private(set) var problems = Problems()
    /// The headers of the journals that were there.
    private var journals: Set<Data> = []

    /// How many journals were seen.
    var journalCount: Int { journals.count }

    init(_ trial: HistoryTrial, place: ChildPlace, random: SeededGenerator) {
        self.trial = trial
        self.place = place
        self.random = random
    }

    /// The fewest journals whose transactions the history has to have. Otherwise nothing was moved in it.
    private static let leastJournals = 3

    /// Whether as many journals were seen as the trial needs, so that it has proved something.
    var hasSeenJournals: Bool { journals.count >= Self.leastJournals }

    mutating func run(lives count: Int) throws {
        while lives < count || (!hasSeenJournals && lives < 10 * count) {
            try liveUntilKilled()
            // A writer was just killed, so the history may be preserved already and still be in the journal, too.
            guard lives.isMultiple(of: Self.livesPerGlance) else { continue }
            glances.append(try trial.history(RecallingChild(place: place, limit: Self.glance), &problems))
        }
    }

    private static let livesPerGlance = 5
    /// How many transactions to read: more than a journal has.
    private static let glance = 300

    /// The last life, which ends by itself.
    mutating func finish(at position: Int) throws {
        let order = FollowingChild(place: place, token: record.token, lastPosition: position)
        try live(order, endingWith: .success) { _ in }
    }

    private mutating func liveUntilKilled() throws {
        var order = FollowingChild(place: place, token: record.token)
        order.durableOnly = Int.random(in: 0..<4, using: &random) == 0
        // A slow one is killed among transactions that were stored together.
        order.pause = Bool.random(using: &random) ? 0 : Int.random(in: 0...5_000, using: &random)
        let kind = Int.random(in: 0..<8, using: &random)
        let delay =
            switch kind {
            // While it opens the file, or reads what it has missed.
            case 0..<2: 4_000...40_000
            // While it changes over to new changes.
            case 2..<7: 0...60_000
            default: 100_000...500_000
            }
        let microseconds = Int.random(in: delay, using: &random)
        try live(order, endingWith: .killed) { child in
            if kind > 1 { _ = child.readLine() }
            MonotonicTime.pause(microseconds: microseconds)
            child.kill()
        }
    }

    private mutating func live(
        _ order: FollowingChild, endingWith expected: ChildProcess.Ending, _ end: (borrowing ChildProcess) -> Void
    ) throws {
        AcknowledgementFile.remove(place.acknowledgements)
        var child = try trial.start(.follow(order))
        end(child)
        let ending = child.wait()
        lives += 1
        if ending != expected { problems.add("The follower ended with \(ending).", .failure) }
        let count = record.received.count
        for line in AcknowledgementFile.read(place.acknowledgements) {
            record.add(line)
            problems.add(failureIn: line, of: "The follower")
        }
        if record.received.count > count { livesWithChanges += 1 }
        addJournal()
    }

    private mutating func addJournal() {
        let url = URL(filePath: place.folder).appending(path: ".\(place.contender.fileName).journal")
        guard let file = try? FileHandle(forReadingFrom: url), let header = try? file.read(upToCount: 24) else {
            return
        }
        journals.insert(header)
    }
}

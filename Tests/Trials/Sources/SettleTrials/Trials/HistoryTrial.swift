import Foundation
import TrialChecks

/// Four writers of a file that keeps its history are killed and restarted, and so is its follower.
struct HistoryTrial: Trial {
    let name = "a history that is followed"
    let isForAll = false
    private static let writers = 4
    private static let undos = 4

    private enum Lane: Sendable {
        case author(AuthorLane)
        case follower(FollowerLane)
    }

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        let folder = try bench.makeFolder("history")
        var (authors, follower) = try race(contender, in: folder, on: bench)
        var problems = Problems()
        let place = bench.place(contender, in: folder, named: "history-recalled")
        let start = MonotonicTime.now()
        let history = try history(RecallingChild(place: place), &problems)
        let duration = Int(MonotonicTime.now() - start)
        try follower.finish(at: history.last?.position ?? 0)
        let verdict = HistoryVerdict(
            authors.map(\.record), program: ProcessInfo.processInfo.processName, history: history,
            follower: follower.record, glances: follower.glances)
        let sentences = verdict.sentences + follower.record.holes
        let wrongUndos = try undo(history, authors, place, bench.random(for: "history-undo"), &problems)
        for sentence in sentences + wrongUndos { problems.add(sentence) }
        for author in authors { problems.add(author.problems) }
        problems.add(follower.problems)
        if !follower.hasSeenJournals { problems.add("The journal was hardly ever renewed.", .failure) }
        let commits = authors.reduce(0) { $0 + $1.record.commits.count }
        return TrialReport(
            name, contender.rawValue,
            figures: [
                Figure("commits", commits), Figure("transactions", history.count),
                Figure("kills", authors.reduce(0) { $0 + $1.kills }), Figure("follower lives", follower.lives),
                Figure("of them with changes", follower.livesWithChanges),
                Figure("changes followed", follower.record.received.count),
                Figure("journals seen", follower.journalCount),
                .time("all read within", duration),
                .loss("lost", verdict.lost.count), .loss("doubled", verdict.doubled.count),
                .loss("out of order", verdict.disordered.count), .loss("wrong author", verdict.wrongAuthors.count),
                .loss("made by nobody", verdict.invented.count), .loss("gaps reported", follower.record.holes.count),
                .loss("wrong undos", wrongUndos.count), .loss("failures", problems.count(of: .failure)),
            ], problems: problems.sentences)
    }

    /// Lets the writers write until the follower has had its lives.
    private func race(
        _ contender: ContenderKind, in folder: String, on bench: TrialBench
    ) throws -> ([AuthorLane], FollowerLane) {
        let end = Event()
        let lanes = try Lanes.run(Self.writers + 1) { number in
            let name = "history-\(number)"
            let place = bench.place(contender, in: folder, named: name)
            guard number < Self.writers else {
                defer { end.happen() }
                var follower = FollowerLane(self, place: place, random: bench.random(for: name))
                try follower.run(lives: bench.size.followerLives)
                return Lane.follower(follower)
            }
            var author = AuthorLane(self, number: number, place: place, random: bench.random(for: name))
            try author.run(until: end)
            return Lane.author(author)
        }
        var (authors, followers): ([AuthorLane], [FollowerLane]) = ([], [])
        for lane in lanes {
            switch lane {
            case .author(let author): authors.append(author)
            case .follower(let follower): followers.append(follower)
            }
        }
        return (authors, followers[0])
    }

    /// - Returns: What was wrong.
    private func undo(
        _ history: [ReportedTransaction], _ authors: [AuthorLane], _ place: ChildPlace, _ random: SeededGenerator,
        _ problems: inout Problems
    ) throws -> [String] {
        var random = random
        let acknowledged = history.filter { transaction in
            guard let writer = transaction.writer, let step = transaction.step else { return false }
            return authors.indices.contains(writer) && authors[writer].record.commits.contains(step)
        }
        // The newest one also: nothing but an undo of that meets no conflict.
        let chosen = acknowledged.suffix(1) + acknowledged.shuffled(using: &random).prefix(Self.undos - 1)
        guard !chosen.isEmpty else { return ["There was nothing to undo."] }
        let answers = try recall(RecallingChild(place: place, tokens: chosen.map(\.token)), &problems).filter {
            $0.word == "undo"
        }
        if answers.count < chosen.count { problems.add("Not every undo has returned.", .failure) }
        return answers.compactMap(\.text).filter { !$0.isEmpty }
    }

    /// The history, oldest first.
    func history(_ order: RecallingChild, _ problems: inout Problems) throws -> [ReportedTransaction] {
        try recall(order, &problems).compactMap { ReportedTransaction($0) }.reversed()
    }

    private func recall(_ order: RecallingChild, _ problems: inout Problems) throws -> [Acknowledgement] {
        AcknowledgementFile.remove(order.place.acknowledgements)
        var child = try start(.recall(order))
        _ = child.wait()
        let lines = AcknowledgementFile.read(order.place.acknowledgements)
        for line in lines { problems.add(failureIn: line, of: "The reader of the history") }
        if lines.last?.word != "end" { problems.add("The history was not read to its end.", .failure) }
        return lines
    }
}

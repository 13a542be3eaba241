/// Replays the history of a file whose commits are to be confirmed, and compares it with what the writers have
/// acknowledged.
public struct ConfirmingVerdict: Sendable {
    /// What was acknowledged and is not in the history, or is there twice.
    public private(set) var lost: [String] = []
    /// Numbers that are not what the rules make of them: a commit that stands although nobody has confirmed it, one
    /// that was confirmed or reverted and is taken back, a wrong old value.
    public private(set) var wrong: [String] = []
    /// Commits that were taken back before their time was over, or confirmed after it.
    public private(set) var untimely: [String] = []
    /// How many commits were confirmed, reverted by a writer, and taken back because nobody had confirmed them.
    public private(set) var (confirmed, reverted, takenBack) = (0, 0, 0)
    /// In microseconds: how long after its time a commit was taken back at the latest. Nobody may have had the file
    /// open.
    public private(set) var longestDelay = 0

    public var sentences: [String] { lost + wrong + untimely }

    /// What is to be confirmed: the number before it, and when its time is over.
    private struct Pending {
        var base: Int?
        var deadline: Int
    }

    private var pending: Pending?
    private var number: Int?
    private var total = 0

    /// In microseconds. The moment of an entry is not exactly that at which its closure looked at the clock, which may
    /// have waited for a processor since.
    private static let (earliness, lateness) = (20_000, 500_000)

    /// - Parameters:
    ///   - history: Everything, oldest first.
    ///   - found: The number and the counter that a new process has found in the end.
    public init(_ writers: [ConfirmingRecord], history: [ConfirmingEntry], found: (number: Int?, total: Int)) {
        var attempts: [String: ConfirmingRecord.Attempt] = [:]
        for writer in writers { attempts.merge(writer.attempts) { first, _ in first } }
        for entry in history { replay(entry, attempts[entry.author]) }
        if pending != nil { wrong.append("A commit was neither confirmed nor reverted.") }
        if found.number != number { wrong.append("\(Self.text(found.number)) was found, not \(Self.text(number)).") }
        if found.total != total { wrong.append("The counter is \(found.total), not \(total).") }
        checkCompleteness(history, writers)
    }

    private static func text(_ number: Int?) -> String { number.map { "\($0)" } ?? "nothing" }

    private mutating func replay(_ entry: ConfirmingEntry, _ attempt: ConfirmingRecord.Attempt?) {
        if entry.after != entry.before, entry.before != number {
            wrong.append("\(entry.author) replaced \(Self.text(entry.before)), not \(Self.text(number)).")
        }
        switch attempt?.act {
        case .commit:
            let deadline = entry.time + (attempt?.within ?? 0) * 1_000
            pending = Pending(base: pending.map(\.base) ?? number, deadline: deadline)
        case .confirm:
            guard let pending else { return wrong.append("\(entry.author) confirmed nothing.") }
            if entry.time > pending.deadline + Self.lateness { untimely.append("\(entry.author) confirmed too late.") }
            confirmed += 1
            self.pending = nil
            if entry.before != entry.after { wrong.append("\(entry.author) has changed the number.") }
        case .revert:
            reverted += 1
            end(entry)
        case .count:
            if entry.total != total + 1 { wrong.append("\(entry.author) counts \(Self.text(entry.total)).") }
            if entry.before != entry.after { wrong.append("\(entry.author) has changed the number.") }
            total = entry.total ?? total
        case nil:
            guard entry.reason.hasPrefix("not confirmed within"), let pending else {
                return wrong.append("Nobody has made \(entry.author) at \(entry.time): “\(entry.reason)”.")
            }
            takenBack += 1
            longestDelay = max(longestDelay, entry.time - pending.deadline)
            if entry.time < pending.deadline - Self.earliness { untimely.append("\(entry.time) was too early.") }
            end(entry)
        }
        if entry.before != entry.after { number = entry.after }
    }

    /// A commit is taken back.
    private mutating func end(_ entry: ConfirmingEntry) {
        defer { pending = nil }
        guard let pending else { return wrong.append("\(entry.author) reverted nothing.") }
        guard entry.after == pending.base, entry.before != entry.after else {
            let (after, base) = (Self.text(entry.after), Self.text(pending.base))
            return wrong.append("\(entry.author) restored \(after), not \(base).")
        }
    }

    private mutating func checkCompleteness(_ history: [ConfirmingEntry], _ writers: [ConfirmingRecord]) {
        var counts: [String: Int] = [:]
        for entry in history where entry.author != "-" { counts[entry.author, default: 0] += 1 }
        for (author, count) in counts.sorted(by: { $0.key < $1.key }) where count > 1 {
            lost.append("The history has \(author) \(count) times.")
        }
        for writer in writers {
            for author in writer.done.sorted() where counts[author] == nil {
                lost.append("The history lacks \(author), which was acknowledged.")
            }
            for author in writer.refused.sorted() where counts[author] != nil {
                wrong.append("The history has \(author), which had nothing to end.")
            }
        }
    }
}

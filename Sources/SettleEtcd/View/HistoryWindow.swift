/// Decides which revisions to read to know what came before the beginning of the known history. Has no connection: it
/// is told what was found.
///
/// etcd brings changes forwards only, from a revision on, and a prefix may have few of them among many of others. So a
/// window in front of what is known is read as a whole:
///
///     ├─ too much ─┤─ not tried ─┤─ little enough ─┤ known
///                  │             │                 │
///              too early     start next        end
///
///     too few transactions ──▶ eight times as long, unless it was too much before
///     too much             ──▶ half way back, or behind what has come, and what that has is enough
///     compacted            ──▶ from the revision that etcd has compacted up to
struct HistoryWindow: Sendable, Equatable {
    /// Everything from here on is known.
    let end: Int64
    /// What came after this revision is read.
    private(set) var start: Int64
    /// Whether nothing before the start can be read.
    private(set) var isAtBeginning = false
    /// From here on it was little enough.
    private var fitting: Int64
    /// From here on it was too much.
    private var tooEarly: Int64?

    /// How many revisions are read at first.
    private static let length: Int64 = 1_024
    private static let growth: Int64 = 8
    /// The revision of an etcd that has nothing yet.
    private static let first: Int64 = 1

    init(before end: Int64) {
        (self.end, fitting, start) = (end, end, end)
        move(to: end - Self.length)
    }

    private mutating func move(to revision: Int64) {
        start = max(Self.first, min(revision, end))
        isAtBeginning = start == Self.first
    }

    /// It was little enough, and had fewer transactions than were asked for.
    ///
    /// - Parameter isAny: Whether it had any.
    /// - Returns: Whether to read another one.
    mutating func foundTooFew(isAny: Bool) -> Bool {
        guard !isAtBeginning else { return false }
        fitting = start
        guard let tooEarly else {
            let length = max(1, end - start).multipliedReportingOverflow(by: Self.growth)
            move(to: length.overflow ? 0 : end - length.partialValue)
            return true
        }
        guard !isAny, fitting - tooEarly > 1 else { return false }
        move(to: tooEarly + (fitting - tooEarly) / 2)
        return true
    }

    /// It was too much.
    ///
    /// - Parameter last: The revision up to which it came.
    mutating func foundTooMuch(upTo last: Int64) {
        tooEarly = start
        move(to: min(max(start + (fitting - start) / 2, last), fitting))
        if start == tooEarly { move(to: start + 1) }
    }

    /// etcd has compacted the start.
    ///
    /// - Returns: Whether there is anything left to read.
    mutating func wasCompacted(upTo revision: Int64) -> Bool {
        // A member that says so of a later start contradicts itself.
        guard revision > start, revision < end else { return false }
        move(to: revision)
        isAtBeginning = true
        return true
    }
}

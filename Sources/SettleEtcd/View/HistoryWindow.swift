/// Decides which revisions to read to find the transactions before the beginning of the known history. Has no
/// connection: it receives the findings.
///
/// etcd delivers changes forwards only, from a revision on, and a prefix may have few of them among many others. So a
/// window before the known history is read as a whole:
///
///     ├─ too much ─┤─ not tried ─┤─ little enough ─┤ known
///                  │             │                 │
///              too early     start next        end
///
///     too few transactions ──▶ eight times as long, unless it was too much before
///     too much             ──▶ half way back, or behind what has come, and what that has is enough
///     compacted            ──▶ from the revision that etcd has compacted up to
struct HistoryWindow: Sendable, Equatable {
    /// The revision from which everything is known.
    let end: Int64
    /// The revision after which changes are read.
    private(set) var start: Int64
    /// Whether nothing before the start can be read.
    private(set) var isAtBeginning = false
    /// The earliest start known to be small enough.
    private var fitting: Int64
    /// The latest start known to be too much.
    private var tooEarly: Int64?

    /// The number of revisions read at first.
    private static let length: Int64 = 1_024
    private static let growth: Int64 = 8
    /// The revision of an empty etcd.
    private static let first: Int64 = 1

    init(before end: Int64) {
        (self.end, fitting, start) = (end, end, end)
        move(to: end - Self.length)
    }

    private mutating func move(to revision: Int64) {
        start = max(Self.first, min(revision, end))
        isAtBeginning = start == Self.first
    }

    /// Records that the window was small enough and had fewer transactions than requested.
    ///
    /// - Parameter isAny: Whether it had any.
    /// - Returns: Whether to read another window.
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

    /// Records that the window was too large.
    ///
    /// - Parameter last: The last revision that was received.
    mutating func foundTooMuch(upTo last: Int64) {
        tooEarly = start
        move(to: min(max(start + (fitting - start) / 2, last), fitting))
        if start == tooEarly { move(to: start + 1) }
    }

    /// Records that etcd has compacted the start.
    ///
    /// - Returns: Whether there is anything left to read.
    mutating func wasCompacted(upTo revision: Int64) -> Bool {
        // A member that reports this for a later start contradicts itself.
        guard revision > start, revision < end else { return false }
        move(to: revision)
        isAtBeginning = true
        return true
    }
}

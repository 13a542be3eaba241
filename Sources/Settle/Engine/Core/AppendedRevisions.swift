/// The positions of the log's transactions in the storage's history.
struct AppendedRevisions {
    /// Transactions that were appended together, or one of others.
    private struct Stretch {
        /// The first revision and the last one.
        var revisions: ClosedRange<UInt64>
        /// The token after the last one.
        var token: ChangeToken
        /// The number of positions that they take.
        var count: UInt64
        /// Whether the store has appended them.
        var isOwn: Bool

        /// A storage may give several transactions one position.
        var start: UInt64 { token.position - min(token.position, count) }

        func contains(_ revision: UInt64, _ isOwn: Bool) -> Bool { self.isOwn == isOwn && revisions.contains(revision) }
    }

    private var stretches: ArraySlice<Stretch> = []
    /// The highest revision that has a token.
    private(set) var last: UInt64 = 0

    /// Adds transactions that were appended or merged, and removes those that the log no longer has.
    ///
    /// - Parameter oldest: The oldest revision that the log has.
    mutating func add(
        _ revisions: ClosedRange<UInt64>, at token: ChangeToken, count: UInt64, isOwn: Bool, oldest: UInt64
    ) {
        while let first = stretches.first, first.revisions.upperBound < oldest { stretches.removeFirst() }
        last = max(last, revisions.upperBound)
        stretches.append(Stretch(revisions: revisions, token: token, count: count, isOwn: isOwn))
    }

    /// Returns the token of a transaction; `nil` if it has none yet, or if that is no longer known.
    ///
    /// - Parameter isOwn: Whether a revision is a transaction of the store itself that is saved.
    func token(of revision: UInt64, isOwn: (UInt64) -> Bool) -> ChangeToken? {
        guard revision <= last else { return nil }
        guard let stretch = stretches.last(where: { $0.contains(revision, isOwn(revision)) }) else { return nil }
        guard stretch.isOwn, stretch.count > 1 else { return stretch.token }
        let all = stretch.revisions
        let later =
            all.upperBound - all.lowerBound + 1 == stretch.count
            ? all.upperBound - revision : UInt64((revision + 1..<all.upperBound + 1).count(where: isOwn))
        // The count differs from that of the append if the log has forgotten what it was.
        guard later < stretch.count else { return nil }
        return stretch.token.moved(back: later)
    }

    /// Returns the token before the first known transactions of the store that end after a revision; `nil` if there are
    /// none.
    func ownPlace(before revision: UInt64) -> ChangeToken? {
        // Usually everything has been saved, and all stretches would be searched in vain.
        guard revision < last else { return nil }
        return stretches.first { $0.isOwn && $0.revisions.upperBound > revision }.map { $0.token.moved(back: $0.count) }
    }

    /// Returns the revisions that were appended together up to a token.
    func ownRevisions(endingAt token: ChangeToken) -> ClosedRange<UInt64>? {
        stretches.last { $0.isOwn && $0.token == token }?.revisions
    }

    /// Returns the revision of the transaction at a token; `nil` if it is not known, or if the transaction had no part
    /// in the values in force.
    ///
    /// - Parameter isOwn: Whether a revision is a transaction of the store itself that is saved.
    func revision(at token: ChangeToken, isOwn: (UInt64) -> Bool) -> UInt64? {
        let stretch = stretches.last {
            $0.token.history == token.history && $0.token.checksum == token.checksum && $0.start < token.position
                && token.position <= $0.token.position
        }
        guard let stretch else { return nil }
        let all = stretch.revisions
        guard stretch.isOwn, stretch.count > 1 else { return all.upperBound }
        var left = stretch.token.position - token.position
        if all.upperBound - all.lowerBound + 1 == stretch.count { return all.upperBound - left }
        for revision in all.reversed() where isOwn(revision) {
            if left == 0 { return revision }
            left -= 1
        }
        return nil
    }
}

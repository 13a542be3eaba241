/// What two copies say together (R18).
///
/// Each write replaces a record by its successor, first in one copy and then in the other:
///
///     copy 1   copy 2   witness
///       P        P        p       at rest
///       S        P        p       after a crash: S counts if it is a try, see ``LockRecord/stricter(than:)``
///       S        S        p       after a crash: S counts, and if it is a try, nothing was compared
///       S        S        s       now the passcode is compared, or the success is returned
///
/// No other two records come from one crash of one lock.
enum LockAgreement {
    /// Neither copy has a record that can be relied on.
    case nothing
    case record(LockRecord)
    /// The copies don't belong together, as a sentence.
    case mismatch(String)

    /// - Parameter witnessed: The highest generation that the witness has received; both copies have it or had it.
    init(of copies: [LockCopy], witnessed: Int?) {
        let valid = copies.compactMap(\.valid)
        let restored = copies.compactMap(\.restored)
        guard let first = valid.first else {
            self = .nothing
            return
        }
        guard let second = valid.dropFirst().first ?? restored.first else {
            self = .record(first)
            return
        }
        let isComplete = restored.isEmpty
        if first.lock != second.lock {
            self = .mismatch("they belong to different locks.")
        } else if first.id == second.id, first.checksum == second.checksum || !isComplete {
            self = .record(first)
        } else if first.isSuccessor(of: second) || second.isSuccessor(of: first) {
            let (later, earlier) = first.generation > second.generation ? (first, second) : (second, first)
            let isStored = witnessed.map { $0 >= later.generation } ?? false
            self = .record(isStored ? later : later.stricter(than: earlier))
        } else if !isComplete, second.generation < first.generation {
            // It says itself that it has lost the rest.
            self = .record(first)
        } else {
            let numbers = copies.compactMap(\.record).map { "\($0.generation)" }.joined(separator: " and ")
            self = .mismatch("no single crash of one lock leaves their generations \(numbers).")
        }
    }
}

/// The conclusion from a lock's copies, its witness and this process's memory.
///
/// Where they disagree the stricter reading counts (R18), so losing, cutting or flipping one file never helps (I5).
struct LockFinding: Sendable {
    enum Conclusion: Sendable {
        case notEnrolled
        case enrolled(LockRecord)
        case unusable(LockStatus.Reason)

        /// Whether another version of this program keeps the lock, so that this one writes nothing.
        var isOfOtherVersion: Bool {
            if case .unusable(.otherVersion) = self { true } else { false }
        }
    }

    var conclusion: Conclusion
    /// Findings that no crash explains, one sentence each.
    var tampering: [String]
    /// What must be written to the copies that have something else. It never has a greater generation than what was
    /// written before: otherwise copies of the lock could get ahead of their witness without counting tries.
    var healed: LockRecord?

    /// - Parameters:
    ///   - copies: The lock's two copies.
    ///   - known: The record that this process has last found or written in both.
    ///   - witnessed: The highest generation that the witness has received; `nil` without a witness.
    ///   - limit: The number of wrong guesses after which no more are accepted.
    init(_ copies: [LockCopy], known: LockRecord?, witnessed: Int?, limit: Int, at moment: Moment) {
        conclusion = .notEnrolled
        tampering = copies.enumerated().compactMap { index, copy in
            copy.complaint.map { "Copy \(index + 1) \($0)" }
        }
        if let sentence = Self.otherVersion(of: copies, known) {
            // Nothing is written over it, not even what this process knows, and it is no tampering.
            (conclusion, tampering) = (.unusable(.otherVersion(sentence)), [])
            return
        }
        switch LockAgreement(of: copies, witnessed: witnessed) {
        case .record(let record):
            if let known, known.isNewer(than: record) {
                restore(known, "An older state was restored while the program ran.")
            } else {
                conclude(record, copies, limit: limit, at: moment)
            }
        case .mismatch(let sentence):
            if let known, copies.compactMap(\.record).allSatisfy({ known.isNewer(than: $0) || known.id == $0.id }) {
                restore(known, "The copies don't belong together: \(sentence)")
            } else {
                conclude(mismatch: sentence)
            }
        case .nothing: concludeWithoutRecord(copies, known, witnessed)
        }
        if case .enrolled(let record) = conclusion, let witnessed, witnessed > record.generation {
            conclude(rollback: "The stored generation is \(record.generation), but the witness has seen \(witnessed).")
        }
    }

    /// Returns how a copy shows that another version of this program keeps the lock, as a sentence.
    ///
    /// One such copy is enough: a good one beside it may be from before the other version took the lock on, and would
    /// bring back an earlier count or passcode.
    private static func otherVersion(of copies: [LockCopy], _ known: LockRecord?) -> String? {
        // Each write gives the record another name, so under one of these only the version was edited.
        let names = copies.map(\.valid?.id) + [known?.id]
        let other = copies.compactMap(\.otherVersion).first { $0.id == nil || !names.contains($0.id) }
        return other.map { "It \($0.finding)" }
    }

    private mutating func conclude(_ record: LockRecord, _ copies: [LockCopy], limit: Int, at moment: Moment) {
        conclusion = .enrolled(record)
        tampering += record.impossibilities(at: moment, limit: limit)
        for (index, copy) in copies.enumerated() where copy.valid?.id != record.id {
            healed = record
            // A crash during the first enrolment leaves one copy empty.
            if case .empty = copy, record.generation > 1 { tampering.append("Copy \(index + 1) is missing.") }
        }
    }

    /// Only this process still knows the newest state.
    private mutating func restore(_ known: LockRecord, _ sentence: String) {
        conclusion = .enrolled(known)
        healed = known
        tampering.append(sentence)
    }

    private mutating func concludeWithoutRecord(_ copies: [LockCopy], _ known: LockRecord?, _ witnessed: Int?) {
        let restored = copies.compactMap(\.restored)
        if let known, restored.allSatisfy({ known.isNewer(than: $0) || known.id == $0.id }) {
            // Missing is not zero.
            restore(known, "The lock's state was removed while the program ran.")
        } else if let witnessed, witnessed > restored.map(\.generation).max() ?? 0 {
            conclude(rollback: "Nothing usable is stored, but the witness has seen generation \(witnessed).")
        } else if !tampering.isEmpty {
            conclusion = .unusable(.damaged(tampering.joined(separator: " ")))
        }
    }

    private mutating func conclude(mismatch sentence: String) {
        conclusion = .unusable(.mismatched(sentence))
        tampering.append("The copies don't belong together: \(sentence)")
        healed = nil
    }

    private mutating func conclude(rollback sentence: String) {
        conclusion = .unusable(.rolledBack(sentence))
        tampering.append(sentence)
        healed = nil
    }
}

extension LockRecord {
    /// Whether this record, which both copies had, is not to be given up for another one. Of two with the same
    /// generation all processes choose the same.
    fileprivate func isNewer(than other: LockRecord) -> Bool {
        lock != other.lock
            || (generation, attemptCount, id) > (other.generation, other.attemptCount, other.id)
    }
}

/// The conclusion from a lock's copies, its witness and this process's memory.
///
/// Where they disagree the stricter reading counts (R18), so losing, cutting or flipping one file never helps (I5).
struct LockFinding: Sendable {
    enum Conclusion: Sendable {
        case notEnrolled
        case enrolled(LockRecord)
        case unusable(LockStatus.Reason)
    }

    var conclusion: Conclusion
    /// Findings that no crash explains, one sentence each.
    var tampering: [String] = []
    /// Whether a copy must be written anew.
    var mustHeal = false

    /// - Parameters:
    ///   - copies: The lock's two copies.
    ///   - known: The record that this process has last found or written.
    ///   - witnessed: The highest generation that the witness was told; `nil` without a witness.
    init(
        _ copies: [LockCopy], known: LockRecord?, witnessed: Int?, by rules: LockStateMachine, at moment: Moment
    ) {
        conclusion = .notEnrolled
        let records = copies.compactMap(\.record)
        guard let newest = records.map(\.generation).max() else {
            concludeWithoutRecord(copies, known, witnessed)
            return
        }
        guard copies.contains(where: \.isValid) || known != nil else {
            // Each copy says that it lacks something, and none says what.
            conclude(damage: copies)
            return
        }
        note(copies, newest: newest, limit: rules.schedule.limit, at: moment)
        var readings = records
        if let known, known.generation > newest {
            readings.append(known)
            tampering.append("An older state was put back while the program ran.")
            mustHeal = true
        }
        guard let record = rules.strictest(of: readings, at: moment) else { return }
        conclusion = .enrolled(record)
        if let witnessed, witnessed > record.generation {
            conclude(rollback: "The stored generation is \(record.generation), but the witness has seen \(witnessed).")
        }
    }

    private mutating func concludeWithoutRecord(_ copies: [LockCopy], _ known: LockRecord?, _ witnessed: Int?) {
        if let known {
            // Missing is not zero: the record that this process knows is written again.
            conclusion = .enrolled(known)
            tampering = Self.complaints(copies) + ["The lock's state was taken away while the program ran."]
            mustHeal = true
        } else if let witnessed, witnessed > 0 {
            conclude(rollback: "Nothing usable is stored, but the witness has seen generation \(witnessed).")
        } else if !Self.complaints(copies).isEmpty {
            conclude(damage: copies)
        }
    }

    private mutating func conclude(damage copies: [LockCopy]) {
        tampering = Self.complaints(copies)
        conclusion = .unusable(.damaged(tampering.joined(separator: " ")))
    }

    private mutating func conclude(rollback sentence: String) {
        tampering.append(sentence)
        conclusion = .unusable(.rolledBack(sentence))
    }

    /// Records how the copies differ from each other and from what is possible.
    private mutating func note(_ copies: [LockCopy], newest: Int, limit: Int, at moment: Moment) {
        tampering += Self.complaints(copies)
        for (number, copy) in copies.enumerated() {
            guard let record = copy.record else {
                mustHeal = true
                // A crash during the first enrolment leaves one copy empty.
                if case .empty = copy, newest > 1 { tampering.append("Copy \(number + 1) is missing.") }
                continue
            }
            tampering += record.impossibilities(at: moment, limit: limit)
            // The older copy is written first, so a crash or a failed save leaves them at most one generation apart.
            if newest - record.generation > 1, copy.isValid {
                tampering.append("Copy \(number + 1) is an old one: generation \(record.generation) of \(newest).")
            }
            if !copy.isValid || record.generation < newest { mustHeal = true }
        }
        let checksums = copies.compactMap(\.record).filter { $0.generation == newest }.map(\.checksum)
        guard Set(checksums).count > 1 else { return }
        tampering.append("The copies of generation \(newest) differ.")
        mustHeal = true
    }

    /// What is wrong with each copy by itself, as sentences.
    private static func complaints(_ copies: [LockCopy]) -> [String] {
        copies.enumerated().compactMap { number, copy in copy.complaint.map { "Copy \(number + 1) \($0)" } }
    }
}

extension LockCopy {
    fileprivate var record: LockRecord? {
        switch self {
        case .valid(let record), .restored(let record, _): record
        case .empty, .unusable: nil
        }
    }

    fileprivate var isValid: Bool {
        if case .valid = self { true } else { false }
    }

    /// What is wrong with this copy by itself, as the end of a sentence.
    fileprivate var complaint: String? {
        switch self {
        case .empty, .valid: nil
        case .restored(_, let reason), .unusable(let reason): reason
        }
    }
}

/// What the copies of a lock, its witness and this process's memory say together.
///
/// Where they disagree the stricter reading counts (R18), so losing, cutting or flipping one file never helps (I5).
struct LockFinding: Sendable {
    enum Conclusion: Sendable {
        case notEnrolled
        case enrolled(LockRecord)
        case unusable(LockStatus.Reason)
    }

    var conclusion: Conclusion
    /// What no crash explains, one sentence each.
    var tampering: [String] = []
    /// Whether a copy has to be written anew.
    var mustHeal = false

    /// - Parameters:
    ///   - copies: In the order in which they are written.
    ///   - known: The record that this process has found or written last.
    ///   - witnessed: The highest generation that the witness has been told; `nil` without a witness.
    init(
        _ copies: [LockCopy], known: LockRecord?, witnessed: Int?, by rules: LockStateMachine, at moment: Moment
    ) {
        let records = copies.compactMap(\.record)
        guard let newest = records.map(\.generation).max() else {
            self.init(withoutRecord: copies, known: known, witnessed: witnessed)
            return
        }
        guard copies.contains(where: \.isValid) || known != nil else {
            // Each copy says that something is missing from it, and nobody knows what.
            conclusion = .unusable(.damaged(Self.sentences(copies)))
            tampering = copies.compactMap(\.complaint)
            return
        }
        let isRolledBack = known.map { $0.generation > newest } ?? false
        let readings = records + (isRolledBack ? [known].compactMap(\.self) : [])
        guard let record = rules.strictest(of: readings, at: moment) else {
            conclusion = .notEnrolled
            return
        }
        conclusion = .enrolled(record)
        note(copies, newest: newest, at: moment)
        if isRolledBack { tampering.append("An older state was put back while the program ran.") }
        mustHeal = mustHeal || isRolledBack
        if let witnessed, witnessed > record.generation {
            let sentence = "The stored generation is \(record.generation), but the witness has seen \(witnessed)."
            conclusion = .unusable(.rolledBack(sentence))
            tampering.append(sentence)
        }
    }

    private init(withoutRecord copies: [LockCopy], known: LockRecord?, witnessed: Int?) {
        let complaints = copies.compactMap(\.complaint)
        if let known {
            // Missing is not zero: what this process knows is written again.
            conclusion = .enrolled(known)
            tampering = complaints + ["The lock's state was removed while the program ran."]
            mustHeal = true
        } else if let witnessed, witnessed > 0 {
            let sentence = "Nothing is stored, but the witness has seen generation \(witnessed)."
            conclusion = .unusable(.rolledBack(sentence))
            tampering = complaints + [sentence]
        } else if !complaints.isEmpty {
            conclusion = .unusable(.damaged(Self.sentences(copies)))
            tampering = complaints
        } else {
            conclusion = .notEnrolled
        }
    }

    /// Notes in what the copies differ from each other and from what can be.
    private mutating func note(_ copies: [LockCopy], newest: Int, at moment: Moment) {
        for (number, copy) in copies.enumerated() {
            if let complaint = copy.complaint { tampering.append(complaint) }
            guard let record = copy.record else {
                mustHeal = true
                // A crash during the first enrolment leaves one copy without anything.
                if case .empty = copy, newest > 1 { tampering.append("Copy \(number + 1) is missing.") }
                continue
            }
            tampering += record.impossibilities(at: moment)
            // Copies are written one after the other, so a crash leaves them one generation apart, and not two.
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

    private static func sentences(_ copies: [LockCopy]) -> String {
        copies.compactMap(\.complaint).joined(separator: " ")
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

    /// What is wrong with this copy by itself.
    fileprivate var complaint: String? {
        switch self {
        case .empty, .valid: nil
        case .restored(_, let reason), .unusable(let reason): reason
        }
    }
}

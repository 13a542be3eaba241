/// What one copy of a lock contains.
enum LockCopy: Sendable {
    /// Nothing was ever stored there, as far as the copy shows.
    case empty
    case valid(LockRecord)
    /// A good record, but not the newest: the copy "has lost" later ones.
    case restored(LockRecord, String)
    /// The stored values are impossible: the copy "has no version", say.
    case unusable(String)
    /// Another version of this program has written it, and only that one understands it: it "has version 2", say. The
    /// record may have a name here, too.
    case otherVersion(String, id: String?)
}

extension LockCopy {
    var valid: LockRecord? {
        if case .valid(let record) = self { record } else { nil }
    }

    var restored: LockRecord? {
        if case .restored(let record, _) = self { record } else { nil }
    }

    var record: LockRecord? { valid ?? restored }

    var otherVersion: (finding: String, id: String?)? {
        if case .otherVersion(let finding, let id) = self { (finding, id) } else { nil }
    }

    /// What is wrong with this copy by itself, as the end of a sentence.
    var complaint: String? {
        switch self {
        case .empty, .valid: nil
        case .restored(_, let reason), .unusable(let reason), .otherVersion(let reason, _): reason
        }
    }

    /// How a copy counts whose storage has lost something.
    func after(losing loss: String) -> LockCopy {
        let reason = "has lost something: \(loss)"
        return switch self {
        case .valid(let record), .restored(let record, _): .restored(record, reason)
        case .empty, .unusable: .unusable(reason)
        // Its own program decides.
        case .otherVersion: self
        }
    }
}

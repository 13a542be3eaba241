public import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One copy of everything that a lock keeps. The passcode itself is stored nowhere.
///
/// It is state, so it is in `settings.state.json` and in the journal; the file that people edit has none of it. Text
/// that is typed there under these keys is an edit like one of the state file: the checksum and the other copy
/// decide.
///
/// Only this module has the type, and only its owner can write its settings: no reset of the store, no write by key and
/// no program that edits settings by name lowers the number of tries (R19).
struct LockSettings: SettingsGroup {
    /// All are `nil` until a passcode is chosen, so that a missing or unreadable value differs from 0.
    @Setting var version: Int? = nil
    @Setting var generation: Int? = nil
    @Setting var verifier: StoredVerifier? = nil
    /// The tries since the last right one. It has no rule, because impossible values must be seen.
    @Setting var attemptCount: Int? = nil
    /// The wait that the last try began; `nil` if there is none.
    @Setting var wait: LockWait? = nil
    /// The names of the lock, of the record, and of the one that it has replaced.
    @Setting var lock: String? = nil
    @Setting var id: String? = nil
    @Setting var parent: String? = nil
    /// When the wait ends unless the clock is set or the machine reboots. Only for display: nothing decides with it.
    @Setting("nextCheck") var nextCheckDate: Date?
    @Setting var checksum: String? = nil
    /// The name of this copy, which is another one in each. It orders the waits for a turn, and decides nothing.
    @Setting var place: String? = nil
    /// Whether the files may still have the verifier of an earlier passcode.
    @Setting var hasEarlierVerifier: Bool? = nil
    /// What this copy has lost: it must no longer be trusted by itself, although it may look good.
    @Setting var damage: String? = nil
    @Setting var audit: [AuditRecord] = []
    @Setting var auditChecksum: String? = nil

    static let category = SettingsCategory.state
    // Values that are not committed are at least saved at once.
    static var savePolicy: SavePolicy { .immediate }
    static var access: SettingsAccess { .owner }
}

extension PasscodeLockout {
    /// The declarations of what a store of the lock keeps, for a command that shows it. Nothing but the lock can write
    /// it.
    public static var settings: any SettingsGroup.Type { LockSettings.self }
}

extension LockSettings {
    /// The stored record, at a single moment.
    var copy: LockCopy {
        snapshot { group in
            guard group.hasAnything || group.damage != nil else { return .empty }
            let stored = group.record
            // With this version's checksum, only the number was edited.
            if let other = group.otherVersion, stored == nil || stored?.checksum != group.checksum {
                return .otherVersion(other, id: group.id)
            }
            guard group.version == LockRecord.version else {
                let found = group.version.map { "version \($0)" } ?? "no version"
                return .unusable("has \(found), and only version \(LockRecord.version) is understood.")
            }
            guard let record = stored, let checksum = group.checksum else {
                return .unusable("lacks a part, or has one that can't be read.")
            }
            guard record.generation > 0, record.generation < LockRecord.greatestGeneration,
                record.wait?.isReckonable != false
            else { return .unusable("has an impossible number.") }
            guard record.checksum == checksum else {
                return .unusable("has been changed: its checksum does not match.")
            }
            // It still says which lock this is a copy of.
            if let damage = group.damage { return LockCopy.valid(record).after(losing: damage) }
            return .valid(record)
        }
    }

    /// The record as it is stored, unchecked; `nil` if it lacks a part.
    private var record: LockRecord? {
        guard let generation, let verifier, let attemptCount, let lock, let id else { return nil }
        return LockRecord(
            generation: generation, verifier: verifier, attemptCount: attemptCount, wait: wait,
            nextCheckDate: nextCheckDate, lock: lock, id: id, parent: parent)
    }

    /// How this copy shows that another version of this program has written it, as the end of a sentence; `nil` if it
    /// does not. Two early forms did not have a version of their own: in the first nothing had a checksum, in the
    /// second nothing had a name.
    private var otherVersion: String? {
        if let version, version != LockRecord.version {
            return "has version \(version), and this program understands version \(LockRecord.version)."
        }
        guard verifier != nil, attemptCount != nil else { return nil }
        guard ![lock, id, parent, place, auditChecksum].contains(where: { $0 != nil }) else { return nil }
        guard (version == nil) == (checksum == nil), (generation == nil) == (checksum == nil) else { return nil }
        return "has a form from before version \(LockRecord.version) was settled, "
            + (checksum == nil ? "without checksums." : "without names.")
    }

    /// Writes a record. Must be called in a transaction.
    func write(_ record: LockRecord, _ log: AuditLog) {
        version = LockRecord.version
        generation = record.generation
        verifier = record.verifier
        attemptCount = record.attemptCount
        wait = record.wait
        nextCheckDate = record.nextCheckDate
        (lock, id, parent) = (record.lock, record.id, record.parent)
        checksum = record.checksum
        if place == nil { place = LockRecord.newID() }
        damage = nil
        write(log)
    }

    /// Writes audit records. Must be called in a transaction.
    func write(_ log: AuditLog) {
        audit = log.records
        auditChecksum = AuditLog.checksum(of: log.records, for: lock ?? "")
    }

    /// The audit records; `nil` if they are not those that the lock has written.
    var intactAudit: [AuditRecord]? {
        snapshot { group in
            if group.audit.isEmpty, group.auditChecksum == nil, group.lock == nil { return [] }
            let checksum = AuditLog.checksum(of: group.audit, for: group.lock ?? "")
            return group.auditChecksum == checksum ? group.audit : nil
        }
    }

    /// What must not have changed before a record is written over this one.
    var stamp: [String?] {
        snapshot { group in
            [group.version, group.generation].map { $0.map { "\($0)" } } + [group.id, group.checksum, group.damage]
        }
    }

    /// Whether there is anything that only a lock writes.
    private var hasAnything: Bool {
        [version, generation, attemptCount].contains { $0 != nil }
            || [lock, id, parent, checksum, place, auditChecksum].contains { $0 != nil }
            || verifier != nil || wait != nil || nextCheckDate != nil || !audit.isEmpty
    }
}

import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One copy of everything that a lock keeps. The passcode itself is stored nowhere.
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
    @Setting var checksum: String? = nil
    /// Why this copy must no longer be trusted, although it may look good.
    @Setting var damage: String? = nil
    /// When the wait ends unless the clock is set or the machine reboots. Only for display: nothing reads it.
    @Setting("nextCheck") var nextCheckDate: Date?
    @Setting var audit: [AuditRecord] = []

    // Values that are not committed are at least saved at once.
    static var savePolicy: SavePolicy { .immediate }
    static var access: SettingsAccess { .owner }
}

extension LockSettings {
    /// The stored record, at a single moment.
    var copy: LockCopy {
        snapshot { group in
            if let damage = group.damage { return .unusable("has lost something: \(damage)") }
            let fields = [
                group.version != nil, group.generation != nil, group.verifier != nil, group.attemptCount != nil,
                group.checksum != nil,
            ]
            guard fields.contains(true) || group.wait != nil else { return .empty }
            guard let version = group.version, version == LockRecord.version else {
                let found = group.version.map { "version \($0)" } ?? "no version"
                return .unusable("has \(found), and only version \(LockRecord.version) is understood.")
            }
            guard let generation = group.generation, let verifier = group.verifier,
                let attemptCount = group.attemptCount, let checksum = group.checksum
            else { return .unusable("lacks a part, or has one that can't be read.") }
            guard generation > 0, generation < LockRecord.greatestGeneration, group.wait?.isReckonable != false else {
                return .unusable("has a number that can't be.")
            }
            let record = LockRecord(
                generation: generation, verifier: verifier, attemptCount: attemptCount, wait: group.wait)
            guard record.checksum == checksum else {
                return .unusable("has been changed: its checksum is another one.")
            }
            return .valid(record)
        }
    }

    /// Writes a record. Must be called in a transaction.
    func write(_ record: LockRecord, _ log: AuditLog, at moment: Moment) {
        version = LockRecord.version
        generation = record.generation
        verifier = record.verifier
        attemptCount = record.attemptCount
        wait = record.wait
        checksum = record.checksum
        damage = nil
        nextCheckDate = record.wait.map { moment.date + $0.length / .seconds(1) }
        audit = log.records
    }
}

public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// All that a lock keeps. The passcode itself is nowhere.
public struct LockSettings: SettingsGroup {
    /// `nil` until a passcode has been chosen.
    @Setting public var verifier: StoredVerifier? = nil
    /// The tries since the last right one. `nil` until a passcode has been chosen, so that a value which is missing or can't
    /// be read is told apart from 0.
    @Setting(where: { $0.map { 0...LockSchedule.ceiling ~= $0 } ?? true }, "a number from 0 to 100")
    public var attemptCount: Int? = nil
    /// The wait that the last try began; `nil` if there is none.
    @Setting public var wait: LockWait? = nil
    /// When the wait ends if nobody sets the clock and nobody reboots. Shown to people, never read by the rules.
    @Setting("nextCheck") public var nextCheckDate: Date?

    public init() {}

    // What a caller does not `commit` is at least saved at once.
    public static var durability: Durability { .immediate }
}

extension LockSettings {
    /// What the rules need to know.
    var state: LockState {
        snapshot { group in
            switch (group.verifier != nil, group.attemptCount) {
            case (false, nil): group.wait == nil ? .notEnrolled : .damaged("There is a wait, but no passcode.")
            case (true, let count?): .enrolled(attemptCount: count, wait: group.wait)
            case (false, _?): .damaged("There is a number of tries, but no verifier of a passcode.")
            case (true, nil): .damaged("There is a verifier of a passcode, but no number of tries.")
            }
        }
    }

    /// Writes a state. Inside a transaction.
    func write(_ state: LockState, at moment: Moment) {
        guard case .enrolled(let count, let wait) = state else { return }
        attemptCount = count
        self.wait = wait
        nextCheckDate = wait.map { moment.date + $0.length / .seconds(1) }
    }
}

public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A lock opened by a passcode, with growing waits after wrong guesses.
///
/// It carries out what ``LockStateMachine`` decides. State that must survive crashes, reboots and changed clocks is
/// kept twice, in two stores: each try is on stable storage in both before its passcode is compared. A result is
/// durable, then published, then returned.
public actor PasscodeLockout {
    /// The lock's two copies.
    let copies: [LockSettings]
    let stores: [SettingsStore]
    /// How strict the lock is, beyond its schedule. It may be edited at any time, by anyone who may edit the first
    /// store's settings file.
    public nonisolated let policy: PasscodePolicy
    let schedule: LockSchedule
    let verifier: any PasscodeVerifier
    let time: any MachineTime
    let witness: (any RollbackWitness)?
    /// The named lock that gives tries of all tasks and processes their turns.
    let turnName: String
    /// How long a try waits for its turn.
    let patience: Duration
    /// The state on stable storage after the last transaction, and why a later one failed.
    var conclusion: LockFinding.Conclusion
    var failure: LockStatus.Reason?
    /// The record that both copies had at this process's last check. It is not given up for an older one.
    var known: LockRecord?
    /// The witness's last answer.
    var witnessed: Int?
    /// The loss of each copy before it was loaded, until it is written again.
    var losses: [String?]
    var recentGuesses = RecentGuesses()
    /// Forgets recent guesses when they expire.
    var wiper: Task<Void, Never>?
    /// Whether a turn is in progress, which publishes its own result.
    var isBusy = false
    private var follower: Task<Void, Never>?
    // The readers of statuses; see `PasscodeLockout+Statuses.swift`.
    var published: LockFinding.Conclusion?
    var publishedLimit: Int?
    var publishedFailure: LockStatus.Reason?
    var subscribers: [UInt64: StatusSubscriber] = [:]
    var nextSubscriber: UInt64 = 0
    var isFinished = false

    /// Creates the lock that two stores keep together.
    ///
    /// - Parameters:
    ///   - store: Keeps the first copy.
    ///   - second: Keeps the second copy, in a separate file.
    ///   - path: The path of the lock's settings in both.
    ///   - policyPath: The path of the ``PasscodePolicy`` in the first store.
    ///   - time: The machine's time, the only thing that ends a wait.
    ///   - witness: Notices old copies of both files. Without one, nothing does.
    ///   - patience: How long a try waits for those of other tasks and processes before it is refused.
    /// - Throws: ``SettingsError`` if the settings can't be opened there, or both stores are the same.
    public init(
        in store: SettingsStore, and second: SettingsStore, at path: String = "passcode",
        policyAt policyPath: String = "policy",
        schedule: LockSchedule = .standard, time: any MachineTime = SystemTime(),
        verifier: any PasscodeVerifier = ScryptVerifier(), witness: (any RollbackWitness)? = nil,
        patience: Duration = .seconds(30)
    ) async throws {
        guard store != second else {
            throw SettingsError(
                .duplicateKey, "A lock has two copies, so it needs two stores: these are the same one.", key: path)
        }
        copies = [
            try await store.group(LockSettings.self, at: path), try await second.group(LockSettings.self, at: path),
        ]
        stores = [store, second]
        policy = try await store.group(PasscodePolicy.self, at: policyPath)
        losses = []
        for (store, copy) in zip(stores, copies) { losses.append(await store.loss(of: copy, at: path)) }
        // Two locks that share a name only wait for each other.
        let name = String(path.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }.prefix(64))
        turnName = name.isEmpty ? "passcode" : name
        self.time = time
        self.verifier = verifier
        self.witness = witness
        self.patience = patience
        self.schedule = schedule
        conclusion = .notEnrolled
        let changes = copies.map { $0.changes(.newest, durableOnly: true) }
        let policyChanges = policy.changes(.newest)
        await begin()
        follower = Task { [weak self] in
            await withTaskGroup { group in
                for changes in changes {
                    group.addTask { [weak self] in
                        for await _ in changes { await self?.settingsChanged() }
                    }
                }
                group.addTask { [weak self] in
                    for await _ in policyChanges { await self?.policyChanged() }
                }
                // Without either store there is no lock.
                await group.next()
                group.cancelAll()
            }
            await self?.finish()
        }
    }

    deinit {
        follower?.cancel()
        wiper?.cancel()
        for subscriber in subscribers.values { subscriber.end() }
    }

    // MARK: Status

    public func status() -> LockStatus {
        now().status
    }

    /// When the wait ends by the current wall clock; `nil` if there is no wait. Only for display: it moves when the
    /// clock is set, and when a reboot starts the wait again.
    public var nextCheckDate: Date? {
        guard case (.delayed(let remaining, _), let moment?) = now() else { return nil }
        return (moment.date + remaining / .seconds(1)).displayable
    }

    /// The tries since the last right one; `nil` if unknown.
    public var attemptCount: Int? {
        if case .enrolled(let record) = conclusion { record.attemptCount } else { nil }
    }

    /// The number of wrong guesses after which no more are accepted: the schedule's, or the policy's if it is lower.
    public nonisolated var limit: Int { policy.limit(of: schedule) }

    /// The rules in force at this moment.
    nonisolated var rules: LockStateMachine { LockStateMachine(schedule, limit: limit) }

    /// The status, with the moment it belongs to if the machine gives one.
    func now() -> (status: LockStatus, moment: Moment?) {
        do {
            let moment = try time.now()
            return (failure.map { .unavailable($0) } ?? status(of: conclusion, at: moment), moment)
        } catch {
            return (.unavailable(.noTime("\(error)")), nil)
        }
    }

    func status(of conclusion: LockFinding.Conclusion, at moment: Moment) -> LockStatus {
        switch conclusion {
        case .notEnrolled: .unavailable(.notEnrolled)
        case .enrolled(let record):
            verifier.objection(to: record.verifier).map { .unavailable(.damaged($0)) }
                ?? rules.status(of: record, at: moment)
        case .unusable(let reason): .unavailable(reason)
        }
    }
}

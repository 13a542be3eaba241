public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A lock that a passcode opens, with growing waits after wrong guesses.
///
/// It carries out what ``LockStateMachine`` decides. What survives crashes, reboots and set clocks is in ``LockSettings``:
/// each try is on stable storage before its passcode is looked at. Results come in this order: durable, published,
/// returned.
public actor PasscodeLock {
    private let settings: LockSettings
    private let rules: LockStateMachine
    private let time: any MachineTime
    private let verifier: any PasscodeVerifier
    /// What the last transaction left on stable storage, or why it did not.
    private var known: Known
    /// What the subscribers have been told of `known`.
    private var published: Known
    /// One try at a time: whether one is under way, and who waits.
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var follower: Task<Void, Never>?
    var subscribers: [UInt64: StatusSubscriber] = [:]
    var nextSubscriber: UInt64 = 0
    private(set) var isFinished = false

    private enum Known: Equatable {
        case state(LockState)
        case notSaved(String)
    }

    /// The lock that a store keeps.
    ///
    /// - Parameters:
    ///   - path: Where the lock's settings lie in the store.
    ///   - time: The machine's time, the only thing that ends a wait.
    public init(
        in store: SettingsStore, at path: String = "passcode", schedule: LockSchedule = .standard,
        time: any MachineTime = SystemTime(), verifier: any PasscodeVerifier = ScryptVerifier()
    ) async throws {
        let settings = try await store.group(LockSettings.self, at: path)
        self.settings = settings
        self.time = time
        self.verifier = verifier
        rules = LockStateMachine(schedule)
        let changes = settings.changes(.newest, durableOnly: true)
        known = .state(settings.state)
        published = known
        follower = Task { [weak self] in
            for await _ in changes { await self?.settingsChanged() }
            await self?.finish()
        }
    }

    deinit {
        follower?.cancel()
        for subscriber in subscribers.values { subscriber.end() }
    }

    // MARK: Asking

    public func status() -> LockStatus {
        now().status
    }

    /// When the wait ends, as far as the wall clock can tell. For people only.
    public var nextCheckDate: Date? { settings.nextCheckDate }

    /// The status, with the moment to which it belongs if the machine tells one.
    func now() -> (status: LockStatus, moment: Moment?) {
        let moment: Moment
        do {
            moment = try time.now()
        } catch {
            return (.unavailable(.noTime("\(error)")), nil)
        }
        switch known {
        case .state(let state): return (rules.status(of: state, at: moment), moment)
        case .notSaved(let error): return (.unavailable(.notSaved(error)), moment)
        }
    }

    func sleep(untilUptime deadline: Duration) async throws {
        try await time.sleep(untilUptime: deadline)
    }

    // MARK: Trying

    /// Tries a passcode.
    public func unlock(with passcode: Passcode) async -> AttemptResult {
        await takeTurn()
        defer { endTurn() }
        return await attempt(passcode, replacement: nil)
    }

    /// Chooses the passcode.
    ///
    /// - Parameter old: The passcode so far, if there is one. It is a try like any other.
    /// - Throws: If the new passcode's verifier can't be made.
    public func enrol(_ passcode: Passcode, replacing old: Passcode? = nil) async throws -> AttemptResult {
        await takeTurn()
        defer { endTurn() }
        let replacement = try await verifier.makeVerifier(for: passcode)
        if let old { return await attempt(old, replacement: replacement) }
        let refusal: LockStatus? = await commit { moment in
            let state = settings.state
            // Whoever forgets to ask for the old passcode has not tried one, so this is no guess.
            guard state == .notEnrolled else { return rules.status(of: state, at: moment) }
            settings.verifier = replacement
            settings.write(LockStateMachine.unlocked, at: moment)
            return nil
        }
        return refusal.map { .refused($0) } ?? .accepted
    }

    private func attempt(_ passcode: Passcode, replacement: StoredVerifier?) async -> AttemptResult {
        // Whether it is allowed is asked in the transaction that counts it.
        var current: StoredVerifier?
        let refusal: LockStatus? = await commit { moment in
            switch rules.decide(settings.state, at: moment) {
            case .refuse(let status): return status
            case .record(let state):
                settings.write(state, at: moment)
                current = settings.verifier
                return nil
            }
        }
        guard refusal == nil, let current else { return .refused(refusal ?? status()) }
        // The try is on stable storage now. A verifier that fails has perhaps been made to fail, so that counts too.
        guard let isRight = try? await verifier.verify(passcode, against: current), isRight else {
            return .wrong(status())
        }
        let failure: LockStatus? = await commit { moment in
            if let replacement { settings.verifier = replacement }
            settings.write(LockStateMachine.unlocked, at: moment)
            return nil
        }
        return failure.map { .refused($0) } ?? .accepted
    }

    /// Runs a transaction and returns when it is on stable storage: what the closure returned, or why it is not.
    private func commit(_ body: (Moment) -> LockStatus?) async -> LockStatus? {
        let moment: Moment
        do {
            moment = try time.now()
        } catch {
            return .unavailable(.noTime("\(error)"))
        }
        do {
            // What could not be saved before goes first: while it can't, further tries would only count up in memory.
            if case .notSaved = known { try await settings.commit {} }
            let refusal = try await settings.commit { body(moment) }
            known = .state(settings.state)
            return refusal
        } catch {
            known = .notSaved("\(error)")
            return status()
        }
    }

    // MARK: One at a time

    private func takeTurn() async {
        guard isBusy else {
            isBusy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func endTurn() {
        publishChange()
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }

    // MARK: Changes

    /// Something has reached stable storage, perhaps by another process or a repeated save.
    private func settingsChanged() {
        // A try that is under way publishes its own end.
        guard !isBusy else { return }
        known = .state(settings.state)
        publishChange()
    }

    private func publishChange() {
        guard known != published else { return }
        published = known
        publish()
    }

    private func finish() {
        isFinished = true
        for subscriber in subscribers.values { subscriber.end() }
        subscribers = [:]
    }
}

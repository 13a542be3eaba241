/// A class of settings that are saved after the same delays.
struct ScheduledSave {
    let quiet: Duration
    let longest: Duration
    /// Wall time of the first and of the newest change since the last save, in seconds since the reference date.
    private(set) var firstChange = 0.0
    private(set) var lastChange = 0.0
    /// Elapsed time at which the persister first saw the changes.
    var noticed: Duration?
    /// Whether something has changed since the last save took what there was.
    private(set) var isWaiting = false

    init(quiet: Duration, longest: Duration) {
        self.quiet = quiet
        self.longest = longest
    }

    /// Notes a change; true if it is the first one since the last save.
    mutating func change(at time: Double) -> Bool {
        lastChange = time
        if isWaiting { return false }
        firstChange = time
        isWaiting = true
        return true
    }

    mutating func taken() {
        isWaiting = false
        noticed = nil
    }
}

/// How saving stands, for `SettingsStore.status`.
enum SaveState {
    case idle
    case saving
    /// Since a wall time, in seconds since the reference date.
    case failing(since: Double, SettingsError)
}

/// The persister's side of the log.
extension MutationLog {
    /// A changed setting as it was at one revision.
    struct Unsaved {
        let slot: SettingSlot
        /// Kept alive until the value is noted, so that opening its group again meanwhile finds it here.
        let box: AnySettingBox
        /// `nil` if the key is not to be stored any more.
        let value: (any Sendable)?

        func encoded() throws -> SettingValue? {
            try value.map(box.encoder)
        }
    }

    /// Takes everything that is to be saved, as it was at one revision.
    func takeUnsaved() -> (revision: UInt64, values: [Unsaved]) {
        lock.withLock {
            let values = dirty.map { slot, box in
                slot.isDirty = false
                keysBeingSaved.insert(slot.key)
                return Unsaved(slot: slot, box: box, value: slot.isStored ? box.committedValue : nil)
            }
            dirty.removeAll(keepingCapacity: true)
            for index in schedules.indices { schedules[index].taken() }
            if case .idle = saveState { saveState = .saving }
            return (revision, values)
        }
    }

    /// Keeps the values that were taken, for groups that are opened before the store is.
    func noteTaken(_ values: [(key: String, value: SettingValue?)]) {
        lock.withLock {
            for (key, value) in values { tree[key] = value }
        }
    }

    /// Notes that a taken value could not be saved. The next save, whenever it comes, takes it again.
    func putBack(_ value: Unsaved) {
        lock.withLock {
            guard !value.slot.isDirty else { return }
            value.slot.isDirty = true
            dirty.append((value.slot, value.box))
        }
    }

    /// Notes that everything up to a revision is on stable storage, and wakes those who asked for durable changes.
    func saveSucceeded(_ revision: UInt64) -> Signals {
        lock.withLock {
            saveState = .idle
            keysBeingSaved.removeAll(keepingCapacity: true)
            // Without unsaved values, what came since is from outside or kept in memory only.
            becomeDurable(dirty.isEmpty ? ring.newest : revision)
            return Signals(broadcaster: claimBroadcaster())
        }
    }

    /// Notes that everything up to a revision is on stable storage. Under the lock.
    func becomeDurable(_ revision: UInt64) {
        guard revision > durableRevision else { return }
        durableRevision = revision
        wake(durability)
    }

    func saveFailed(_ error: SettingsError, at time: Double) {
        lock.withLock {
            if case .failing(let since, _) = saveState {
                saveState = .failing(since: since, error)
            } else {
                saveState = .failing(since: time, error)
            }
        }
    }

    /// Whether the storage has yet to get a setting's value. Under the lock.
    func isUnsaved(_ slot: SettingSlot) -> Bool {
        slot.isDirty || keysBeingSaved.contains(slot.key)
    }

    var hasUnsaved: Bool { lock.withLock { !dirty.isEmpty } }

    /// What waits to be saved, and for how long it has.
    func waitingSaves(_ time: TimeSource) -> [PersisterStateMachine.Waiting] {
        let now = time.elapsed()
        let wallTime = time.now()
        return lock.withLock {
            schedules.indices.compactMap { index in
                guard schedules[index].isWaiting else { return nil }
                let noticed = schedules[index].noticed ?? now
                schedules[index].noticed = noticed
                let schedule = schedules[index]
                // Wall time can be set. Forward, that saves early; backward, the time since we noticed still bounds it.
                let sinceFirst = max(.seconds(max(0, wallTime - schedule.firstChange)), now - noticed)
                let sinceLast = Duration.seconds(max(0, wallTime - schedule.lastChange))
                return PersisterStateMachine.Waiting(
                    quiet: schedule.quiet, longest: schedule.longest, sinceFirst: sinceFirst,
                    sinceLast: min(sinceLast, sinceFirst))
            }
        }
    }
}

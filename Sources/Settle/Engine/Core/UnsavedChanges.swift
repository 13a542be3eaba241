/// The changes that are not on stable storage yet, since when, and the state of saving.
struct UnsavedChanges: ~Copyable {
    /// The settings with unsaved values.
    private(set) var dirty: [(slot: SettingSlot, box: AnySettingBox)] = []
    /// Whether some of these lie within each other, or were replaced by a write around them.
    private var hasOverlaps = false
    /// Keys whose values were collected but not handed to the storage yet.
    private var keysBeingSaved: Set<SettingKey> = []
    /// Settings whose values could not be encoded, and the wall time of the oldest of these changes.
    private(set) var unencodable: [(slot: SettingSlot, box: AnySettingBox)] = []
    private var oldestUnencodable: Double?
    /// The newest revision when values were last collected.
    private(set) var lastCollected: UInt64 = 0
    /// Whether any collected values are not on stable storage.
    var hasCollectedValues = false
    private var schedules: [DebouncedChanges] = []
    private var attention = PersisterAttention.asleep
    /// The object that keeps the store open; `nil` once nothing does. Set before the log is shared.
    weak var keeper: StoreKeeper?
    /// The same object, while there are unsaved values.
    private var dirtyKeeper: StoreKeeper?

    private(set) var state = SaveState.idle
    /// The wall time since which the storage's readable form could not be updated, and the error.
    private(set) var restingFormBehind: (since: Double, error: SettingsError)?
    private(set) var counts = SaveCounts()

    // MARK: Changes

    /// The index of the schedule for a save policy; `nil` for settings that are never saved.
    mutating func schedule(for savePolicy: SavePolicy) -> Int? {
        if savePolicy == .memoryOnly { return nil }
        let delays = savePolicy == .immediate ? (.zero, .zero) : savePolicy.delays ?? SavePolicy.standardDelays
        let schedule = DebouncedChanges(quiet: delays.quiet, longest: delays.longest)
        if let index = schedules.firstIndex(where: { $0.quiet == schedule.quiet && $0.longest == schedule.longest }) {
            return index
        }
        schedules.append(schedule)
        return schedules.count - 1
    }

    /// Marks a setting as unsaved; true if the persister has to be woken for it.
    mutating func markDirty(_ slot: SettingSlot, time: Double) -> Bool {
        guard let index = slot.schedule else {
            // A value that is written by key and never saved exists only here.
            slot.isDirty = slot.declaration == nil
            return false
        }
        if !slot.isDirty, let box = slot.box { add(slot, box) }
        guard schedules[index].change(at: time) else { return false }
        switch attention {
        case .awake: return false
        case .paced where !schedules[index].isImmediate: return false
        case .asleep, .paced:
            attention = .awake
            return true
        }
    }

    private mutating func add(_ slot: SettingSlot, _ box: AnySettingBox) {
        slot.isDirty = true
        dirty.append((slot, box))
        if dirtyKeeper == nil { dirtyKeeper = keeper }
    }

    /// Passes an unsaved value on to another setting of the same key.
    mutating func pass(from old: SettingSlot, to slot: SettingSlot, _ box: AnySettingBox) {
        guard old.isDirty, slot.schedule != nil, let index = dirty.firstIndex(where: { $0.slot === old })
        else { return }
        old.isDirty = false
        slot.isDirty = true
        dirty[index] = (slot, box)
    }

    /// Records that unsaved keys may lie within other keys.
    ///
    /// - Parameter replaced: Settings that are now written as a part of a key around them, and no longer saved on their
    ///   own.
    mutating func overlap(replacing replaced: [SettingSlot]) {
        hasOverlaps = true
        for slot in replaced {
            slot.isDirty = false
            keysBeingSaved.remove(slot.key)
            if !unencodable.isEmpty { unencodable.removeAll { $0.slot === slot } }
        }
    }

    // MARK: Saving

    /// Collects everything to be saved.
    ///
    /// - Parameter retryingEncoding: Whether to collect values again that could not be encoded. Those that were written
    ///   since are collected in any case.
    mutating func collect(upTo revision: UInt64, retryingEncoding: Bool) -> CollectedChanges {
        if !unencodable.isEmpty { retryUnencodable(retryingEncoding) }
        var collected = CollectedChanges(
            revisions: min(lastCollected &+ 1, revision)...revision, keeper: dirtyKeeper.take(),
            hasOverlaps: hasOverlaps, oldest: oldest)
        sortOverlaps()
        keysBeingSaved.reserveCapacity(keysBeingSaved.count + dirty.count)
        collected.values.reserveCapacity(dirty.count)
        for (slot, box) in dirty {
            slot.isDirty = false
            slot.lastGood = nil
            keysBeingSaved.insert(slot.key)
            collected.values.append(UnsavedSetting(slot, box))
        }
        dirty.removeAll(keepingCapacity: true)
        for index in schedules.indices { schedules[index].collected() }
        if unencodable.isEmpty { oldestUnencodable = nil }
        lastCollected = revision
        return collected
    }

    private mutating func retryUnencodable(_ isRetrying: Bool) {
        let waiting = unencodable
        unencodable = []
        for (slot, box) in waiting where !slot.isDirty {
            guard isRetrying else {
                unencodable.append((slot, box))
                continue
            }
            add(slot, box)
            hasOverlaps = true
        }
    }

    /// Sorts the unsaved settings into the order in which they were written, as far as it matters.
    private mutating func sortOverlaps() {
        guard hasOverlaps else { return }
        hasOverlaps = false
        dirty.removeAll { !$0.slot.isDirty }
        dirty = dirty.sorted(by: \.slot.key)
    }

    /// Sets a collected value aside that can't be stored. Its key counts as unsaved.
    mutating func setAside(_ slot: SettingSlot, _ box: AnySettingBox, changedAt time: Double?) {
        unencodable.append((slot, box))
        if let time { oldestUnencodable = min(time, oldestUnencodable ?? time) }
    }

    /// Returns the settings whose values will never be saved, which it no longer holds.
    mutating func forgetUnencodable() -> [(slot: SettingSlot, box: AnySettingBox)] {
        defer { unencodable = [] }
        return unencodable
    }

    /// Records that the storage has all collected values, except those that were set aside.
    ///
    /// - Returns: The keys that were being saved, to be released by the caller.
    mutating func handOver(isAppend: Bool) -> Set<SettingKey> {
        if isAppend { counts.appends &+= 1 }
        var saved: Set<SettingKey> = []
        swap(&saved, &keysBeingSaved)
        for (slot, _) in unencodable { keysBeingSaved.insert(slot.key) }
        return saved
    }

    /// Records that the storage has some of the collected values. Those that were set aside stay.
    mutating func handOver(_ keys: [SettingKey]) {
        keysBeingSaved.subtract(keys)
        for (slot, _) in unencodable { keysBeingSaved.insert(slot.key) }
    }

    /// Drops collected values that the storage has not accepted and that will not be saved any more.
    mutating func giveUp(_ keys: Set<SettingKey>, isSuperseded: Bool) {
        if isSuperseded { counts.superseded &+= UInt64(keys.count) }
        keysBeingSaved.subtract(keys)
    }

    mutating func begin() {
        if case .idle = state { state = .saving }
    }

    /// Records that everything collected is on stable storage.
    mutating func succeed() {
        state = .idle
        if hasCollectedValues { counts.saves &+= 1 }
        hasCollectedValues = false
        for index in schedules.indices { schedules[index].stabilized() }
    }

    mutating func fail(_ error: SettingsError, at time: Double) {
        counts.failedSaves &+= 1
        if case .failing(let since, _) = state {
            state = .failing(since: since, error)
        } else {
            state = .failing(since: time, error)
        }
    }

    /// Records that the storage's readable form could not be updated.
    ///
    /// - Parameter hasFailed: False if the storage has postponed it.
    mutating func fallBehind(_ error: SettingsError, at time: Double, hasFailed: Bool) {
        if hasFailed { counts.failedCheckpoints &+= 1 }
        restingFormBehind = (restingFormBehind?.since ?? time, error)
    }

    /// Records that the storage's readable form has everything.
    mutating func catchUp() {
        restingFormBehind = nil
    }

    // MARK: Waiting

    /// Returns whether the storage does not have a setting's newest value yet.
    func isUnsaved(_ slot: SettingSlot) -> Bool {
        slot.isDirty || keysBeingSaved.contains(slot.key)
    }

    /// Whether the storage lacks a setting's newest value.
    var hasUnaccepted: Bool { !dirty.isEmpty || !keysBeingSaved.isEmpty }

    /// The own keys of all settings for which that may be.
    var unsavedKeys: Set<SettingKey> { keysBeingSaved.union(dirty.lazy.map(\.slot.key)) }

    /// Whether any change is not on stable storage.
    var hasWaiting: Bool {
        for schedule in schedules where schedule.isWaiting { return true }
        return false
    }

    /// Wall time of the oldest change that is not on stable storage.
    var oldest: Double? {
        var oldest = oldestUnencodable
        for schedule in schedules where schedule.isWaiting {
            oldest = min(schedule.firstChange, oldest ?? schedule.firstChange)
        }
        return oldest
    }

    /// All values that wait to be collected or to become encodable.
    var all: [UnsavedSetting] {
        (unencodable + dirty.filter(\.slot.isDirty)).map { UnsavedSetting($0.slot, $0.box) }
            .sorted(by: \.slot.key)
    }

    /// Marks the persister as awake before it measures the waits: writers need not wake it.
    mutating func attend() {
        attention = .awake
    }

    /// Measures how long changes have waited to be saved. From now on writers wake the persister for new changes.
    mutating func measureWaits(now: Duration, wallTime: Double) -> WaitingChanges {
        var found = WaitingChanges()
        for index in schedules.indices {
            guard let waiting = schedules[index].measureWait(now: now, wallTime: wallTime) else { continue }
            found.waiting.append(waiting)
            if schedules[index].hasNew { found.hasNew = true }
        }
        attention = found.hasNew ? .paced : .asleep
        return found
    }
}

/// A changed setting, as of one revision.
struct UnsavedSetting {
    let slot: SettingSlot
    let box: AnySettingBox
    /// `nil` if the key has to be removed from the storage.
    let value: (any Sendable)?

    /// Requires the lock.
    init(_ slot: SettingSlot, _ box: AnySettingBox) {
        self.slot = slot
        self.box = box
        value = slot.isStored ? box.committedOwnValue : nil
    }

    func encoded() throws -> SettingValue? {
        try value.map(box.encodeForSaving)
    }
}

/// Everything to be saved, as of one revision.
struct CollectedChanges {
    /// The revisions since the last collection.
    var revisions: ClosedRange<UInt64>
    var revision: UInt64 { revisions.upperBound }
    var values: [UnsavedSetting] = []
    /// Keeps the store open until the storage has the values.
    var keeper: StoreKeeper?
    /// Whether some of the keys may lie within others.
    var hasOverlaps = false
    /// Keys that were written together, transaction by transaction, and so must be stored together.
    var writtenTogether: [[SettingKey]] = []
    /// The same transactions, if the log has them all.
    var transactions: [(revision: UInt64, details: LogDetails)]?
    /// The values stored at other spellings, by the settings' keys: removed once the values are stored.
    var spellings: [SettingKey: [SettingKey]] = [:]
    /// The number of transactions so far that had something for the storage.
    var ownCount: UInt64 = 0
    var author = NamedAuthor.nobody
    /// Wall time of the oldest change in it.
    var oldest: Double?
    /// The change of the unconfirmed commit, if there is one.
    var unconfirmed: UnconfirmedWrite?
}

import Dispatch

/// Saves what a store has published.
///
/// It carries out what ``PersisterStateMachine`` decides. Each save takes everything that has changed, as it was at one
/// revision, so what is stored is always a revision, and a newer one is never replaced by an older one.
actor Persister {
    private let executor = QueueExecutor()
    private let storage: any Storage
    private let log: MutationLog
    private let time: TimeSource
    private let report: @Sendable (SettingsError) -> Void
    private var machine: PersisterStateMachine
    private var timer: Task<Void, Never>?
    /// What the storage has not taken yet: the encoded values of earlier saves that failed.
    private var unsaved: [String: SettingValue?] = [:]
    /// The boxes of these values. They keep the store, so that nobody opens the storage again before they are in it.
    private var unsavedBoxes: [AnySettingBox] = []
    /// Whether the storage has to be asked even if nothing has changed, because it failed last time.
    private var mustRepeat = false
    private var isReleased = false
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        storage: any Storage, log: MutationLog, time: TimeSource, retryDelay: ClosedRange<Duration>,
        report: @escaping @Sendable (SettingsError) -> Void
    ) {
        self.storage = storage
        self.log = log
        self.time = time
        self.report = report
        machine = PersisterStateMachine(retryDelay: retryDelay)
    }

    // MARK: From outside

    /// A writer has published the first change since the last save. Without any lock.
    nonisolated func changesArrived() {
        Task { await self.noticeChanges() }
    }

    /// The store has gone: once everything is saved, the storage is closed.
    nonisolated func release() {
        Task { await self.noticeRelease() }
    }

    /// Saves everything that has been published so far. Returns when it is on stable storage.
    func flush() throws {
        try save()
    }

    /// The same, for a caller that can't wait asynchronously. It needs no thread of the concurrency runtime.
    nonisolated func flushSynchronously() throws {
        try executor.queue.sync { try assumeIsolated { try $0.save() } }
    }

    /// Saves everything and closes the storage.
    func close() throws {
        guard !isClosed else { return }
        try save()
        do {
            _ = try storage.checkpoint(log.lock.withLock { log.tree }, at: .closing)
        } catch {
            throw SettingsError.storage(error)
        }
        closeStorage()
    }

    // MARK: Events

    private func noticeChanges() {
        perform(machine.changed(log.waitingSaves(time), now: time.elapsed()))
    }

    private func timerFired() {
        perform(machine.timerFired(log.waitingSaves(time), now: time.elapsed()))
    }

    private func noticeRelease() {
        isReleased = true
        if unsaved.isEmpty, !mustRepeat, !log.hasUnsaved { closeStorage() }
    }

    private func closeStorage() {
        guard !isClosed else { return }
        isClosed = true
        perform(machine.close())
        storage.close()
    }

    // MARK: Saving

    private func perform(_ action: PersisterStateMachine.Action) {
        switch action {
        case .none: break
        case .save:
            do {
                try save()
            } catch {
                // Reported and scheduled again by `save`.
            }
        case .setTimer(let due):
            timer?.cancel()
            timer = Task { [time] in
                guard (try? await time.sleep(due)) != nil else { return }
                self.timerFired()
            }
        case .cancelTimer:
            timer?.cancel()
            timer = nil
        }
    }

    private func save() throws {
        guard !isClosed else { throw SettingsError.closed(key: nil) }
        let (revision, values) = log.takeUnsaved()
        unsavedBoxes += values.map(\.box)
        let encodingError = encode(values)
        if !unsaved.isEmpty || mustRepeat {
            mustRepeat = true
            do {
                try storage.append(StorageBatch(revision: revision, values: unsaved), durability: .stable)
            } catch {
                let issue = SettingsError.storage(error)
                log.saveFailed(issue, at: time.now())
                report(issue)
                perform(machine.failed(now: time.elapsed()))
                throw issue
            }
            unsaved = [:]
            mustRepeat = false
        }
        unsavedBoxes = []
        SettingsStore.act(on: log.saveSucceeded(revision), log: log)
        let action = machine.saved(log.waitingSaves(time), now: time.elapsed())
        // A save that is due again already takes its turn, so that a flush gets in between and the stack does not grow.
        if action == .save { changesArrived() } else { perform(action) }
        if isReleased, !log.hasUnsaved { closeStorage() }
        if let encodingError { throw encodingError }
    }

    /// Encodes taken values into `unsaved`. A value that can't be encoded keeps its stored value and counts as unsaved; the
    /// first such error is returned, all are reported.
    private func encode(_ values: [MutationLog.Unsaved]) -> SettingsError? {
        var first: SettingsError?
        var encoded: [(key: String, value: SettingValue?)] = []
        for value in values {
            do {
                encoded.append((value.slot.key, try value.encoded()))
            } catch {
                let issue = SettingsError.encodingFailed(key: value.slot.key, error)
                report(issue)
                first = first ?? issue
                log.putBack(value)
            }
        }
        for (key, value) in encoded { unsaved.updateValue(value, forKey: key) }
        log.noteTaken(encoded)
        return first
    }
}

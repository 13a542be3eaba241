import Synchronization

/// A store that all its handles and groups share: the engine, and the persister that saves its changes.
///
/// The store is open as long as its ``StoreKeeper`` is referenced; changes that are pending when the last reference
/// goes are still saved.
@usableFromInline
package final class StoreCore: Engine, @unchecked Sendable {
    // Sendable: `overrides`, `languages` and `reportedVariables` are guarded by `writer`; the rest is constant and
    // Sendable.

    let configuration: SettingsStore.Configuration
    let persister: Persister
    /// See ``SettingsStore/File/loadOutcome``.
    let loadOutcome: StorageContents.Outcome
    /// The store's entry among those that are open on a file.
    let registration: (any StoreRegistration)?
    let handles = HandleCount()
    let domains = AttachedDomains()
    /// Whether settings have been declared since the schema was last written.
    let isSchemaOutdated = Atomic(false)
    var overrides = OverriddenValues()
    var languages = LanguageDefaults()
    /// The variables of groups that are neither settings nor groups.
    var reportedVariables: Set<String> = []
    private let sizeWarnings: SizeWarnings

    /// - Parameters:
    ///   - time: The configuration's clock.
    ///   - registration: Notified when the storage is closed.
    ///   - migrations: The names of those that the program knows; `nil` if it ignores migrations.
    init(
        configuration: SettingsStore.Configuration, storage: any Storage, contents: StorageContents, time: TimeSource,
        registration: (any StoreRegistration)?, migrations: [String]? = nil
    ) {
        var tree = contents.tree
        let record = MigrationRecord(takenFrom: &tree)
        self.registration = registration
        self.configuration = configuration
        sizeWarnings = SizeWarnings(limit: configuration.valueSizeLimit)
        loadOutcome = contents.outcome
        let log = MutationLog(
            logLimit: configuration.logLimit, logCostLimit: configuration.logCostLimit, stored: tree,
            unconfirmed: record.unconfirmed, recordsReads: storage.limits.comparesReads)
        let issueBoard = IssueBoard(outlet: configuration.unheardIssueHandler.map(IssueBoard.queued))
        var known = KnownMigrations(record: record, names: migrations)
        if configuration.schemaEncoder != nil, contents.outcome == .absent {
            known.schemaOfNewFile = (storage as? FileStorage)?.schemaLocation
        }
        persister = Persister(
            storage: storage, position: contents.position, token: contents.token, migrations: known,
            registration: registration, log: log, time: time,
            retryDelay: configuration.retryDelay, savePolicy: configuration.savePolicy,
            report: { issueBoard.report($0) })
        super.init(log: log, time: time, issueBoard: issueBoard)
        refuseWrites(known.refusal.map { .storage($0) })
        if log.lock.withLock({ log.unconfirmed.isUnreadable }) { issueBoard.report(.unreadableUnconfirmed) }
        switch loadOutcome {
        case .absent, .intact: break
        case .recovered(let description, _): issueBoard.report(SettingsError(.recovered, description))
        case .removed(let description): issueBoard.report(SettingsError(.removed, description))
        }
    }

    override var isUnopened: Bool { false }

    override var keyLimit: Int { persister.limits.keys ?? .max }

    override var byteLimit: Int { persister.limits.bytes ?? .max }

    override func saveChanges() { persister.changesArrived() }

    override func readHistory(after token: ChangeToken?) async -> HistoryFinding {
        await persister.readHistory(after: token)
    }

    override func revertIfDue() async throws { try await revertUnconfirmedIfDue() }

    override func keep(_ values: [SettingKey: SettingValue?]) { persister.keep(values) }

    override func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue) -> [SettingValue] {
        persister.checkpointing?.keptValues(forKey: key, insteadOf: stored) ?? []
    }

    override func place(of key: SettingKey, in domain: DomainIdentity) -> String {
        domains[domain]?.place(of: key) ?? super.place(of: key, in: domain)
    }

    override func release() {
        // A closed store has saved everything and ended its domains: no thread has to be woken for that.
        guard !handles.areClosed else { return }
        if !domains.all.isEmpty { Task.detached { [domains] in await domains.end() } }
        persister.release()
    }

    /// Reports a value that was written by key, if it is too large for settings.
    func reportSize(of value: SettingValue, at key: SettingKey) {
        if let issue = sizeWarnings.issue(for: value, at: key) { issueBoard.report(issue) }
    }
}

extension StoreKeeper {
    var core: StoreCore {
        // Proof: only the opening of a store creates a keeper; nothing keeps the engine of unopened groups.
        unsafeDowncast(engine, to: StoreCore.self)
    }
}

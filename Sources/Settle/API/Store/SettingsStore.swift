import Synchronization

/// A store of settings: it opens groups, publishes their changes and saves them.
///
/// Open one with ``open(_:searching:configuration:migrations:)``,
/// ``open(at:format:searching:configuration:migrations:)`` or ``open(storage:searching:configuration:migrations:)``,
/// and its groups with ``group(_:at:)``.
///
/// A `SettingsStore` is a handle on a store. Opening a file that is already open in this process returns another handle
/// on the same store: its groups, subscribers and revisions are shared. Requesting a configuration that differs from
/// the store's throws an error that names both; requesting none joins. The store stays open as long as a handle or one
/// of its groups is in use; changes that are pending when the last reference goes are still saved. ``close()`` ends the
/// handle, and with the last open handle the store.
public final class SettingsStore: Sendable {
    /// Keeps the store open.
    let keeper: StoreKeeper
    /// The state shared by all handles on the store.
    @usableFromInline package let core: StoreCore
    /// The core's log, copied here to spare reads by key one indirection.
    @usableFromInline let log: MutationLog
    /// True from the start of a close, unless that fails.
    private let hasEnded = Atomic(false)
    private let closeTurns = CloseQueue()

    /// Creates a handle on a store; `nil` if the store is closed or being closed.
    init?(joining keeper: StoreKeeper) {
        guard keeper.core.handles.open() else { return nil }
        self.keeper = keeper
        core = keeper.core
        log = core.log
    }

    deinit {
        if !hasEnded.load(ordering: .relaxed) { core.handles.release() }
    }

    /// Saves everything that has been written so far, and closes this handle. Closing again does nothing.
    ///
    /// Closing the last open handle closes the store: its streams end, and every later write to its groups is refused.
    /// Until then, the groups that were opened with this handle stay usable.
    ///
    /// - Throws: ``SettingsError`` if the last save failed. The handle and the store then stay open, with everything
    ///   still in them. They are closed if an assignment was refused because a newer program has migrated the stored
    ///   values; this throws that error, too.
    public func close() async throws {
        guard await closeTurns.begin() else { return }
        hasEnded.store(true, ordering: .releasing)
        let isLast = core.handles.close()
        do {
            if isLast { try await core.close() } else { try await core.persister.flush(isCancellable: false) }
        } catch {
            core.handles.reopen(isLast)
            hasEnded.store(false, ordering: .releasing)
            // Only now that the handles are open again, so that an opener waiting for this finds them open.
            core.registration?.closingFailed()
            closeTurns.end(succeeded: false)
            throw error
        }
        closeTurns.end(succeeded: true)
        try core.throwRefusedAssignment()
    }

    /// Returns the core, for a write.
    ///
    /// - Throws: ``SettingsError`` if this handle is closed.
    func open(key: String? = nil) throws(SettingsError) -> StoreCore {
        guard !hasEnded.load(ordering: .acquiring) else { throw .closed(key: key) }
        return core
    }
}

extension SettingsStore {
    /// The number of the newest transaction of this process; 0 before the first.
    public var revision: UInt64 { log.lock.withLock { log.changes.revision } }

    /// Errors that no call could throw: refused assignments, stored values that could not be used, failed saves. Each
    /// subscriber first gets the newest earlier issues (up to 100), then every new one.
    ///
    /// While nothing iterates them, and once the store is closed, they go to standard error or to
    /// ``Configuration/unheardIssueHandler``, once for each code and key.
    public var issues: AsyncStream<SettingsError> { core.issueBoard.subscribe() }

    /// Reports an issue that could not be thrown to a caller.
    package func report(_ issue: SettingsError) { core.issueBoard.report(issue) }
}

extension SettingsStore: Equatable {
    /// Whether two handles are on the same store.
    public static func == (first: SettingsStore, second: SettingsStore) -> Bool {
        first.core === second.core
    }
}

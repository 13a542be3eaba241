import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps settings in a journal, and mirrors them in a file beside it that people can read and edit.
///
/// **What a save does.** A batch is appended to the journal, `.settings.json.journal`, which has all values, and synced
/// if it is to be ``StorageDurability/synced``. A checkpoint writes the whole file beside the old one, syncs it and
/// swaps the two, so that every reader, even one after a crash, finds the old or the new contents. A file beyond 4 KiB
/// is only written when the journal has grown by a quarter of it, or nothing has happened for a while. New files are
/// 0600 and folders that had to be made 0700, whatever the process's mask says. A file that is replaced keeps the
/// permissions that it has, unless a group with secrets has been opened; what stands beside it is 0600. A symbolic link
/// to the file stays one: the file that it leads to is replaced.
///
/// **What a failure leaves behind.** What was there before, and the values in memory: the next append or checkpoint
/// writes them. After a failed sync the journal is replaced by a new file, never synced again.
///
/// **What a load makes of the files.** It writes nothing. A file that is a version the journal knows: the journal's
/// values. Any other: an edit. A damaged file: the journal's values, and the first call that writes sets the file aside
/// as `settings.json.corrupt-1` (or under the next number that is free) and writes it again. A damaged journal: what
/// the file and the rest of the journal have. No journal: the file's values. No file:
/// ``StorageContents/Outcome/absent``, or ``StorageContents/Outcome/removed(description:)`` if something beside it
/// shows that there was one; no earlier version comes back. A file that can't be read: an error, and nothing is written
/// over it until a load succeeds.
///
/// **Other processes and people** may write the same file. Processes that use this storage exclude each other by the
/// journal's lock, which the system releases when a process ends; each merges what others have appended before it
/// appends. An edit of the file is compared with the version that the journal knows, and only what differs is merged.
/// One that can't be parsed is left alone while a process has the file open, and the values stay as they were; the file
/// is not at rest then. What is removed while a process has it open is stored again: at once where that is noticed, and
/// before a call that promises stable storage returns.
public final class FileStorage: HistoryStorage, CheckpointingStorage {
    /// The largest file that is read or written, in bytes.
    package static let sizeLimit = FileSession.sizeLimit
    /// Below how many bytes behind its beginning a journal is never renewed.
    package static let journalLimit = 64 << 10
    /// What a journal may have at most: a load reads a little more.
    package static let journalCapacity = FileSession.journalSizeLimit - (1 << 20)

    let path: FilePath
    /// `nil` for a file of this process's own.
    let home: UserHome?
    private let isFileURL: Bool
    /// Whether it never writes.
    let isReader: Bool
    /// Held during I/O: a storage is called one call at a time, so that no call waits for it.
    let session: LockedValue<FileSession>
    /// The session's, for calls that can't wait.
    private let knownFormat: LockedValue<FileFormat>
    private let knowsState = Atomic(false)
    private let lastHistory = LockedValue<(token: ChangeToken?, isKept: Bool)>((nil, false))
    private let watching: (any FileWatching)?
    private let watch = LockedValue<(any FileWatch)?>(nil)
    /// What may have changed since the last look. Everything, while no watch tells.
    private let pendingChecks = Atomic<UInt8>(FileSession.PendingChecks.everything.rawValue)

    /// Nothing is read or made before ``load()``.
    ///
    /// - Parameters:
    ///   - url: The file. It and its folders may be missing.
    ///   - format: The format to write. An existing file is read in the format that it has. Without this parameter a
    ///     file keeps the format that it has, and a new one is an XML property list if its name ends in `.plist`, and
    ///     JSON if it ends in `.json` or has no extension. Any other extension fails at ``load()``.
    public convenience init(at url: URL, format: FileFormat? = nil) {
        self.init(at: url, format: format, calls: POSIXSystemCalls(), watching: SystemFileWatching.shared)
    }

    /// The folder with the journal, the locks and the state of a settings file: its own, or for a file in
    /// `~/.config/app` the folder `~/.local/state/app`.
    ///
    /// It follows from the path alone, once all links on it have been followed. Neither file nor folder need exist.
    public static func stateFolder(of file: URL) -> URL {
        let path = FilePath(file)
        let resolved = try? FileOperations(POSIXSystemCalls()).resolve(path).resolved
        return URL(filePath: FileNames(resolved ?? path).stateFolder.text, directoryHint: .isDirectory)
    }

    /// - Parameter home: If the file is another user's, that user's.
    convenience init(at url: URL, format: FileFormat? = nil, home: UserHome?) {
        self.init(
            at: url, format: format, calls: home?.calls ?? POSIXSystemCalls(),
            watching: home?.watching ?? SystemFileWatching.shared, home: home)
    }

    /// - Parameters:
    ///   - watching: Tells when files change. Without it, every call of ``changes(after:)`` looks.
    ///   - home: Whose file it is, if that is another user; the calls are that home's then.
    ///   - isReader: Whether the calls never write.
    ///   - lockTimeout: How long one call waits for locks that other processes have.
    ///   - journalLimit: Below this growth, in bytes, a journal is never begun anew.
    ///   - journalCapacity: How many bytes a journal may have.
    package init(
        at url: URL, format: FileFormat? = nil, calls: any SystemCalls, watching: (any FileWatching)? = nil,
        home: UserHome? = nil, isReader: Bool = false, lockTimeout: LockTimeout = .usual,
        journalLimit: Int = FileStorage.journalLimit, journalCapacity: Int = FileStorage.journalCapacity
    ) {
        self.watching = watching
        self.home = home
        path = FilePath(url)
        isFileURL = url.isFileURL
        self.isReader = isReader
        let session = FileSession(
            FileOperations(calls), path: path, format: format, lockTimeout: lockTimeout, journalLimit: journalLimit,
            journalCapacity: journalCapacity)
        self.session = LockedValue(session)
        knownFormat = LockedValue(session.spelling.format)
    }

    deinit { close() }

    public func load() throws(StorageError) -> StorageContents {
        try withSession { (session) throws(StorageError) in
            if case .closed = session.phase { throw .closed(path) }
            session.lockTimeout.renew()
            do throws(StorageError) {
                guard isFileURL, !path.name.isEmpty, !path.text.utf8.contains(0) else {
                    throw StorageError.unreadable(path, "it is not the URL of a file")
                }
                guard session.spelling.isKnown else {
                    throw StorageError.unknownExtension(path)
                }
                let contents = try session.load()
                knowsState.store(!session.state.stateFile.keys.isEmpty, ordering: .relaxed)
                return contents
            } catch {
                session.phase = .unreadable(error)
                throw error
            }
        }
    }

    /// How the file is spelled, or will be.
    var currentFormat: FileFormat {
        session.withLock { $0.spelling.format }
    }

    /// Refuses what the file's format can't spell, and what is too deep or too large for any file.
    public func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        if StorableCheck.isAlwaysStorable(value, at: key) { return }
        // While the storage is at work, what it last had.
        let format = session.withLockIfAvailable { $0.spelling.format }
        if let format { knownFormat.withLock { $0 = format } }
        do throws(FormatError) {
            try StorableCheck.check(value, at: key, as: format ?? knownFormat.withLock { $0 })
        } catch {
            throw StorageError(.unsupportedValue, "“\(path)” can't hold it. \(error)")
        }
    }

    /// Appends to the journal, if there is anything to append. If it is to be synced, looks whether what was stored is
    /// still there, and stores it again if not.
    @discardableResult
    public func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) -> StorageReceipt {
        return try withSession { (session) throws(StorageError) in
            try session.beginCall()
            try following(&session) { (session) throws(StorageError) in
                switch durability {
                case .buffered: try session.append(batch)
                case .synced: try session.appendDurably(batch)
                }
            }
            return StorageReceipt(
                position: session.inForce.position, durability: durability,
                hasExternalChanges: session.inForce.hasUndelivered || hasPendingChecks, token: session.journal.token)
        }
    }

    /// Does something that may lead to another place, and watches that from then on.
    private func following<Result>(
        _ session: inout FileSession, _ body: (inout FileSession) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let place = session.place
        defer {
            if session.place != place { watch.withLock { $0 }?.update(session.place.watchedNames) }
        }
        return try body(&session)
    }

    /// Also looks whether what was stored is still there, and stores it again if not.
    public func checkpoint(_ tree: SettingTree, for reason: CheckpointReason) throws(StorageError) -> Bool {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            return try following(&session) { (session) throws(StorageError) in
                guard session.isWorthwhile(for: reason) else {
                    try session.makeDurable()
                    return false
                }
                return reason == .erasing ? try session.eraseEarlier() : try session.checkpoint(for: reason)
            }
        }
    }

    /// Whether the file has everything that the journal has. Without permission to write nothing can change that, so it
    /// is true then.
    public var isAtRest: Bool {
        session.withLock { $0.isAtRest }
    }

    /// Ignores the position: the session tracks what it has returned.
    public func changes(after position: StoragePosition) throws(StorageError) -> StorageChanges {
        let isWatched = watch.withLock { $0 != nil }
        return try withSession { (session) throws(StorageError) in
            // Only once the session is ours: an append may have merged these already.
            let checks = isWatched ? takePendingChecks() : .everything
            do throws(StorageError) {
                try session.beginCall()
                if !checks.isEmpty {
                    try following(&session) { (session) throws(StorageError) in try session.mergeOutside(checks) }
                }
                return StorageChanges(session.inForce.takeUndelivered(), position: session.inForce.position)
            } catch {
                addPendingChecks(checks)
                throw error
            }
        }
    }

    public func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] {
        session.withLock { $0.keptValues(at: key, insteadOf: stored) }
    }

    /// Kept in the journal, beside what the file has.
    public func keep(_ values: [SettingKey: SettingValue?]) throws(StorageError) {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            try session.keep(values)
        }
    }

    /// In `.settings.json.before-migration`, in the format of the file.
    public func keepVersion(_ tree: SettingTree) throws(StorageError) {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            try session.companions.keepVersion(tree)
        }
    }

    public func hasTraces(of key: SettingKey) throws(StorageError) -> Bool {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            return try session.hasTraces(of: key)
        }
    }

    /// A file that others may read is 0600 from the next time on that it is written.
    public func keepPrivate() {
        session.withLock { $0.isPrivate = true }
    }

    /// State stands in a file of its own, `settings.state.json`, which is 0600.
    public func keepApart(state: Set<SettingKey>, from others: Set<SettingKey>) {
        session.withLock { $0.declared.add(state, from: others) }
        if !state.isEmpty { knowsState.store(true, ordering: .relaxed) }
    }

    public var hasState: Bool { knowsState.load(ordering: .relaxed) }

    public func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        guard let watching else { return }
        let places = session.withLock { $0.place.watchedNames }
        let watch = watching.watch(places) { [weak self] events in self?.didWatch(events, handle) }
        self.watch.withLock { $0 = watch }
        // What has happened since the file was loaded.
        handle(.mayHaveChanged)
    }

    /// Handles what has happened outside. On the queue of the watches.
    private func didWatch(_ events: FileEvents, _ handle: @Sendable (StorageEvent) -> Void) {
        if events.contains(.replaced) || events.contains(.places) {
            addPendingChecks(.everything)
        } else {
            // Most of it is this process's own appends. If the storage is at work, it may not have been.
            guard session.withLockIfAvailable({ $0.hasNews() }) != false else { return }
            addPendingChecks(.journal)
        }
        if events.contains(.places), let places = session.withLockIfAvailable({ $0.place.watchedNames }) {
            watch.withLock { $0 }?.update(places)
        }
        handle(.mayHaveChanged)
        // While the store's thread wakes up.
        if events.kinds == .contents { readAhead() }
    }

    private func readAhead() {
        _ = session.withLockIfAvailable { session in
            // Before it is read, so that what comes later is looked for.
            pendingChecks.bitwiseAnd(~FileSession.PendingChecks.journal.rawValue, ordering: .acquiringAndReleasing)
            if !session.mergeFewNewRecords() { addPendingChecks(.journal) }
            remember(session)
        }
    }

    private func takePendingChecks() -> FileSession.PendingChecks {
        FileSession.PendingChecks(rawValue: pendingChecks.exchange(0, ordering: .acquiringAndReleasing))
    }

    private func addPendingChecks(_ checks: FileSession.PendingChecks) {
        pendingChecks.bitwiseOr(checks.rawValue, ordering: .acquiringAndReleasing)
    }

    private var hasPendingChecks: Bool { pendingChecks.load(ordering: .acquiring) != 0 }

    /// Waits at most 10 s for another process. Its end releases the lock.
    public func lockForTransaction() throws(StorageError) -> StorageLease? {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            try following(&session) { (session) throws(StorageError) in try session.acquire() }
            return StorageLease(position: session.inForce.position)
        }
    }

    /// Locks an empty file, `.settings.json.<name>.lock`, which is made if it is missing and stays. Where the file
    /// system has no locks, one process must be alone with the settings.
    public func tryLock(named name: String) throws(StorageError) -> StorageLease? {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            guard try session.lock(named: name) else { return nil }
            return StorageLease(name: name, position: session.inForce.position)
        }
    }

    /// A process, where the system tells.
    public func holder(ofLockNamed name: String) -> String? {
        session.withLockIfAvailable { $0.holder(ofLockNamed: name) } ?? nil
    }

    public func records(after token: ChangeToken, limit: Int) throws(StorageError) -> [StoredRecord]? {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            return try session.records(after: token, limit: max(1, limit))
        }
    }

    public func records(before token: ChangeToken?, limit: Int) throws(StorageError) -> [StoredRecord] {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            return try session.records(before: token, limit: max(1, limit))
        }
    }

    public var token: ChangeToken? { knownHistory.token }

    public var keepsHistory: Bool { knownHistory.isKept }

    /// While the storage is at work, what it had before.
    private var knownHistory: (token: ChangeToken?, isKept: Bool) {
        session.withLockIfAvailable { ($0.journal.token, $0.keepsHistory) } ?? lastHistory.withLock { $0 }
    }

    /// Makes a call, and remembers where the history stands after it, for those that can't wait for the next one.
    private func withSession<Result>(
        _ body: (inout FileSession) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try session.withLock { (session) throws(StorageError) in
            defer { remember(session) }
            return try body(&session)
        }
    }

    @inline(never) private func remember(_ session: FileSession) {
        let now = (session.journal.token, session.keepsHistory)
        lastHistory.withLock { $0 = now }
    }

    /// In the journal, in front of the values, which says so to all processes.
    public func keepHistory(_ policy: HistoryPolicy) throws(StorageError) {
        guard policy != .unchanged else { return }
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            try session.keepHistory(policy)
        }
    }

    public func withhold(_ keys: [SettingKey]) throws(StorageError) {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            try session.withhold(keys)
        }
    }

    /// The secrets of this process, and those that others have recorded in the journal, which they do while it has a
    /// history.
    public func withheldKeys() -> Set<SettingKey> { session.withLock { $0.withheldKeys } }

    public func forgetHistory(of key: SettingKey) throws(StorageError) {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            try session.forgetHistory(of: key)
        }
    }

    /// A lease ends with the process.
    /// Fails if the file of a named lock was removed or replaced: others lock another one then.
    public func renew(_ lease: StorageLease) throws(StorageError) -> StorageLease {
        try session.withLock { (session) throws(StorageError) in try session.checkLock(lease) }
        return lease
    }

    public func unlock(_ lease: StorageLease) {
        session.withLock { session in
            if let name = lease.name {
                session.namedLocks.unlock(name, session.operations)
            } else {
                session.release()
            }
        }
    }

    /// Replaces the schema beside the file atomically.
    func writeSchema(_ bytes: [UInt8]) throws(StorageError) -> FilePath {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            let file = SchemaFile(operations: session.operations, path: session.names.schema)
            try file.write(bytes, for: session.file.owner)
            return file.path
        }
    }

    public func close() {
        watch.withLock { watch in
            watch?.cancel()
            watch = nil
        }
        session.withLock { $0.close() }
    }
}

extension FilePath {
    /// Where a URL leads, with its `..` as they are: what they mean is for the file system to say.
    init(_ url: URL) {
        self = FilePath(url.absoluteURL.path(percentEncoded: false)).withoutTrailingSlashes
    }
}

import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps settings in a journal, and mirrors them in a file beside it that people can read and edit.
///
/// **Saving.** A batch is appended to the journal, `.settings.json.journal`, which has all values, and synced if it is
/// to be ``StorageDurability/synced``. A checkpoint writes the whole file beside the old one, syncs it and swaps the
/// two, so that every reader, even one after a crash, finds the old or the new contents. A file beyond 4 KiB is only
/// written when the journal has grown by four times its size, or nothing has happened for a while. New files are 0600
/// and new folders 0700, whatever the process's umask. A file that is replaced keeps its permissions, unless a group
/// with secrets has been opened; files beside it are 0600. A symbolic link to the file stays a link: the file to which
/// it leads is replaced.
///
/// **Failures.** A failure leaves the earlier contents, and the values in memory: the next append or checkpoint writes
/// them. After a failed sync the journal is replaced by a new file, never synced again.
///
/// **Loading.** A load writes nothing. If the file is a version that the journal knows, the journal's values count. Any
/// other file is an edit. If the file is damaged, the journal's values count, and the first call that writes sets the
/// file aside as `settings.json.corrupt-1` (or under the next free number) and writes it again. If the journal is
/// damaged, the values come from the file and the rest of the journal. Without a journal, the file's values count.
/// Without a file, the outcome is ``StorageContents/Outcome/absent``, or
/// ``StorageContents/Outcome/removed(description:)`` if something beside it shows that there was one; no earlier
/// version comes back. If the file can't be read, the load throws, and nothing is written over the file until a load
/// succeeds.
///
/// **Other processes and people** may write the same file. Processes that use this storage exclude each other by the
/// journal's lock, which the system releases when a process ends; each merges what others have appended before it
/// appends. An edit of the file is compared with the version that the journal knows, and only the differences are
/// merged. An edit that can't be parsed is left alone while a process has the file open, and the values stay as they
/// were; the file is not at rest then. Files that are removed while a process has them open are stored again: at once
/// where the removal is noticed, and before a call that promises stable storage returns.
public final class FileStorage: HistoryStorage, CheckpointingStorage {
    /// The session's state after the last call, for calls that can't wait for the next one.
    private struct LastState: Sendable {
        var format: FileFormat
        var token: ChangeToken?
        var keepsHistory = false
        var kept = LastGoodValues()
    }

    /// The largest file that is read or written, in bytes.
    package static let sizeLimit = FileSession.sizeLimit
    /// The number of bytes after its beginning below which a journal is never replaced.
    package static let journalLimit = 64 << 10
    /// The maximum size of a journal: a load reads a little more.
    package static let journalCapacity = FileSession.journalSizeLimit - (1 << 20)

    package let path: FilePath
    /// `nil` for a file of this process's own.
    let home: UserHome?
    private let isFileURL: Bool
    /// Whether the storage never writes.
    let isReader: Bool
    /// Whether its calls are those of the system, for its own user.
    let isOnSystem: Bool
    /// Held during I/O. A storage gets one call at a time, so calls do not wait for it.
    let session: LockedValue<FileSession>
    private let lastState: LockedValue<LastState>
    let knowsState = Atomic(false)
    let watching: (any FileWatching)?
    let watch = LockedValue<(any FileWatch)?>(nil)
    /// Called after changes of others.
    let handler = LockedValue<(@Sendable (StorageEvent) -> Void)?>(nil)
    /// Whether the journal has been written to, by anybody, since it was last looked at.
    let hasUnseenWrites = Atomic(false)
    /// The files that may have changed since the last check. All of them, while there is no watch.
    let pendingChecks = Atomic<UInt8>(FileSession.PendingChecks.everything.rawValue)
    /// Whether the watched folders may have moved, so that the watch has to look them up again before the next checks.
    let mustUpdateWatch = Atomic(false)

    /// Creates the storage of a file. Nothing is read or made before ``load()``.
    ///
    /// - Parameters:
    ///   - url: The file. It and its folders may be missing.
    ///   - format: The format to write. An existing file is read in its own format. Without this parameter a file keeps
    ///     its format, and a new one is an XML property list if its name ends in `.plist`, and JSON if it ends in
    ///     `.json` or has no extension. Any other extension fails at ``load()``.
    public convenience init(at url: URL, format: FileFormat? = nil) {
        self.init(at: url, format: format, calls: POSIXSystemCalls(), watching: SystemFileWatching.shared)
    }

    /// Returns the folder with the journal, the locks and the state of a settings file: its own, or for a file in
    /// `~/.config/app` the folder `~/.local/state/app`.
    ///
    /// It follows from the path alone, once all links on it have been followed. Neither file nor folder need exist.
    public static func stateFolder(of file: URL) -> URL {
        let path = FilePath(file)
        let resolved = try? FileOperations(POSIXSystemCalls()).resolve(path).resolved
        return URL(filePath: FileNames(resolved ?? path).stateFolder.text, directoryHint: .isDirectory)
    }

    /// - Parameter home: The home of the user to whom the file belongs, if that is another user.
    convenience init(at url: URL, format: FileFormat? = nil, home: UserHome?) {
        self.init(
            at: url, format: format, calls: home?.calls ?? POSIXSystemCalls(),
            watching: home?.watching ?? SystemFileWatching.shared, home: home)
    }

    /// - Parameters:
    ///   - watching: Notifies when files change. Without it, every call of ``changes(after:)`` checks.
    ///   - home: The home of the file's user, if that is another user; the calls are that home's then.
    ///   - isReader: Whether the calls never write.
    ///   - lockTimeout: How long one call waits for locks that other processes have.
    ///   - journalLimit: Below this growth, in bytes, a journal is never replaced.
    ///   - journalCapacity: The maximum size of a journal in bytes.
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
        isOnSystem = calls is POSIXSystemCalls
        let session = FileSession(
            FileOperations(calls), path: path, format: format, lockTimeout: lockTimeout, journalLimit: journalLimit,
            journalCapacity: journalCapacity)
        lastState = LockedValue(LastState(format: session.spelling.format))
        // The last use of the session, which is not copied then.
        self.session = LockedValue(session)
    }

    deinit { close() }

    public func load() throws(StorageError) -> StorageContents {
        try withSession { (session) throws(StorageError) in
            defer { session.assumedPlace = nil }
            if case .closed = session.phase { throw .closed(path) }
            session.lockTimeout.renew()
            do throws(StorageError) {
                guard isFile else {
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

    /// Whether the URL is one that a file can have.
    var isFile: Bool { isFileURL && !path.name.isEmpty && !path.text.withBytes { $0.contains(0) } }

    /// Has the next call, a load or a request for changes, use these files, to which the path leads: the caller has
    /// just followed it, with the same calls.
    func assume(_ place: FilePlace) {
        session.withLock { $0.assumedPlace = place }
    }

    /// The current or future format of the file; while the storage is at work, its format before.
    var currentFormat: FileFormat {
        withLockIfAvailable { $0.spelling.format } ?? lastState.withLock { $0.format }
    }

    /// Refuses values that the file's format can't represent, and values that are too deep or too large for any file.
    public func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        if StorableCheck.isAlwaysStorable(value, at: key) { return }
        do throws(FormatError) {
            try StorableCheck.check(value, at: key, as: currentFormat)
        } catch {
            throw StorageError(.unsupportedValue, "“\(path)” can't hold it. \(error)")
        }
    }

    /// Appends to the journal, if there is anything to append. For a synced append, checks that the stored files are
    /// still there, and stores them again if not.
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

    /// Runs `body`, which may follow the path to other files, and watches these from then on.
    func following<Result>(
        _ session: inout FileSession, _ body: (inout FileSession) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let place = session.place
        defer {
            if session.place != place { watch.withLock { $0 }?.update(session.place.watchedNames) }
        }
        return try body(&session)
    }

    /// Makes a checkpoint. Also checks that the stored files are still there, and stores them again if not.
    public func checkpoint(_ tree: SettingTree, for reason: CheckpointReason) throws(StorageError) -> Bool {
        // What another process has left to do is not for a reader.
        guard !isReader else { return true }
        return try withSession { (session) throws(StorageError) in
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

    /// Whether the file has everything that the journal has. Also true without permission to write, because nothing can
    /// change it then.
    public var isAtRest: Bool {
        withLock { $0.isAtRest }
    }

    /// Ignores `position`: the session tracks what it has returned.
    public func changes(after position: StoragePosition) throws(StorageError) -> StorageChanges {
        let isWatched = watch.withLock { $0 != nil }
        return try withSession { (session) throws(StorageError) in
            // Only once the session is ours: an append may have merged these already.
            let checks = isWatched ? takePendingChecks() : .everything
            // Read after the checks are taken, because an event sets it before it adds checks. Updated before they are
            // made, so that later changes lead to events.
            if isWatched, mustUpdateWatch.exchange(false, ordering: .acquiringAndReleasing) {
                watch.withLock { $0 }?.update(session.place.watchedNames)
            }
            defer { session.assumedPlace = nil }
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

    /// Returns the changes that ``changes(after:)`` would, if these have been read already. Never waits.
    func changesAtOnce() -> StorageChanges? {
        let changes = withLockIfAvailable { session -> StorageChanges? in
            guard !hasPendingChecks, case .ready = session.phase else { return nil }
            return StorageChanges(session.inForce.takeUndelivered(), position: session.inForce.position)
        }
        return changes ?? nil
    }

    /// Returns values that an edit has replaced; while the storage is at work, those from before.
    public func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] {
        let kept = withLockIfAvailable { $0.state.kept } ?? lastState.withLock { $0.kept }
        return kept.candidates(at: key, insteadOf: stored)
    }

    /// Whether values are preserved that an edit has replaced; while the storage is at work, whether there were any
    /// before.
    var hasLastGoodValues: Bool { lastState.withLock { !$0.kept.isEmpty } }

    /// Preserves the values in the journal, beside the file's values.
    public func keep(_ values: [SettingKey: SettingValue?]) throws(StorageError) {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            try session.keep(values)
        }
    }

    /// Writes the values to `.settings.json.before-migration`, in the format of the file.
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

    /// Makes a file that others may read 0600 the next time it is written.
    public func keepPrivate() {
        withLock { $0.isPrivate = true }
    }

    /// Keeps state in a file of its own, `settings.state.json`, which is 0600.
    public func keepApart(state: Set<SettingKey>, from others: Set<SettingKey>) {
        withLock { $0.declared.add(state, from: others) }
        if !state.isEmpty { knowsState.store(true, ordering: .relaxed) }
    }

    public var hasState: Bool { knowsState.load(ordering: .relaxed) }

    /// The state of the history; while the storage is at work, its state before.
    var knownHistory: (token: ChangeToken?, isKept: Bool) {
        let found = withLockIfAvailable { ($0.journal.token, $0.keepsHistory) }
        return found ?? lastState.withLock { ($0.token, $0.keepsHistory) }
    }

    /// Makes a call, and saves the state after it, for calls that can't wait for the next one.
    func withSession<Result>(
        _ body: (inout FileSession) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try withLock { (session) throws(StorageError) in
            defer { remember(session) }
            return try body(&session)
        }
    }

    @inline(never) func remember(_ session: FileSession) {
        let now = LastState(
            format: session.spelling.format, token: session.journal.token, keepsHistory: session.keepsHistory,
            kept: session.state.kept)
        lastState.withLock { $0 = now }
    }

    /// Replaces the schema beside the file atomically.
    func writeSchema(_ bytes: [UInt8]) throws(StorageError) -> FilePath {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            let file = SchemaFile(operations: session.operations, names: session.names)
            try file.write(bytes, for: session.file.owner)
            return file.path
        }
    }

    public func close() {
        watch.withLock { watch in
            watch?.cancel()
            watch = nil
        }
        handler.withLock { $0 = nil }
        withLock { $0.close() }
    }
}

extension FilePath {
    /// Creates the path to which a URL leads, with its `..` as they are: the file system defines their meaning.
    init(_ url: URL) {
        let url = url.absoluteURL
        let path = url.path(percentEncoded: true)
        // Decoding takes as long as a system call, and most paths have nothing to decode.
        let isPlain = !path.withBytes { $0.contains(UInt8(ascii: "%")) }
        self = FilePath(isPlain ? path : url.path(percentEncoded: false)).withoutTrailingSlashes
    }
}

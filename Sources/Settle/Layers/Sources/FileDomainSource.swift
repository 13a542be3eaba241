#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A settings file of another program, or of the user: read with its journal, and never written. Or a text of another
/// kind, which has no journal.
///
/// Files are not made, renamed or removed, and locks are not taken, so that a damaged file stays as it is. A missing
/// file or folder is an empty domain. If the file was removed, the values that only its journal has are left.
final class FileDomainSource: DomainSource {
    fileprivate struct State: Sendable {
        /// Open while only the journal has changed; otherwise the next load starts again.
        var storage: FileStorage?
        /// Whether the file was read without a storage: it had neither a journal nor a file of state, or was missing.
        var isWithoutJournal = false
        var contents = DomainContents()
        /// The marks of the last load.
        var marks = Marks()
        /// The files to which the path led at the last check.
        var place: FilePlace?
        var watch: (any FileWatch)?
        var isClosed = false
    }

    /// The files that must not change while a load reads the file and its journal, which belong together.
    fileprivate struct Marks: Sendable, Equatable {
        var names: FileNames?
        var file: FileSignature?
        var journal: FileStatus.Identity?
        /// Whether a later change must show in the marks.
        var isSettled = false
    }

    private let url: URL
    private let path: FilePath
    private let calls: any SystemCalls
    /// Whether its calls are those of the system, for its own user.
    private let isOnSystem: Bool
    private let watching: any FileWatching
    /// `nil` for a settings file.
    private let read: KeyLineCache.Reader?
    private let lines: KeyLineCache
    private let state = LockedValue(State())

    /// How often a load starts again because the file was replaced meanwhile.
    private static let attempts = 16
    /// The largest text of another kind, in bytes.
    static let textSizeLimit = 1 << 20

    /// - Parameters:
    ///   - url: The file. The name of a settings file ends in `.json` or `.plist`, or has no extension.
    ///   - home: The home of the file's user, if that is another user.
    ///   - read: Reads a text of another kind.
    convenience init(at url: URL, home: UserHome? = nil, by read: KeyLineCache.Reader? = nil) {
        self.init(
            at: url, calls: home?.calls ?? POSIXSystemCalls(), watching: home?.watching ?? SystemFileWatching.shared,
            by: read)
    }

    init(at url: URL, calls: any SystemCalls, watching: any FileWatching, by read: KeyLineCache.Reader? = nil) {
        self.url = url
        self.watching = watching
        self.read = read
        self.calls = ReadOnlySystemCalls(calls)
        isOnSystem = calls is POSIXSystemCalls
        path = FilePath(url)
        let operations = FileOperations(self.calls)
        lines = read.map { KeyLineCache(operations, by: $0) } ?? KeyLineCache(operations)
    }

    private var operations: FileOperations { FileOperations(calls) }

    // MARK: Loading

    /// - Throws: ``StorageError`` with the file, and the line if its contents are damaged.
    func load() throws(StorageError) -> DomainContents {
        try state.withLock { (state) throws(StorageError) in
            do throws(StorageError) {
                try follow(&state)
            } catch {
                state.discard()
                throw (read == nil ? FileStorage.damage(of: path, operations) : nil) ?? error
            }
            return state.contents
        }
    }

    /// Loads a settings file as ``load()`` does, if that needs only what the system has in memory, and finds nothing to
    /// report. Never blocks.
    ///
    /// - Returns: `nil` otherwise; then ``load()`` decides.
    func loadAtOnce(by cached: CachedSystemCalls) -> DomainContents? {
        guard isOnSystem, read == nil, url.isFileURL, !path.text.withBytes({ $0.contains(0) }),
            let place = cached.place(of: path)
        else { return nil }
        let contents = state.withLockIfAvailable { state -> DomainContents? in
            guard state.storage == nil, !state.isClosed else { return nil }
            if let (tree, reading) = FileStorage.contentsWithoutJournal(of: path, place.names, by: cached) {
                state.isWithoutJournal = true
                state.contents = DomainContents(tree)
                state.marks = Marks(names: place.names, reading)
            } else {
                let storage = FileStorage(at: url, calls: calls)
                guard let found = storage.loadAtOnce(place, by: cached, isReader: true) else { return nil }
                state.storage = storage
                state.contents = DomainContents(found.tree)
                state.marks = Marks(of: storage, at: place.names)
            }
            state.setPlace(place)
            return state.contents
        }
        return contents ?? nil
    }

    private func follow(_ state: inout State) throws(StorageError) {
        let marks = try marks(&state)
        if state.storage == nil, state.isCurrent(at: marks) { return }
        if let storage = state.storage, marks.isSettled, marks == state.marks, try state.follow(storage) { return }
        var before = marks
        for _ in 0..<Self.attempts {
            let result = Result { () throws(StorageError) in try read(&state, isThere: before.file != nil) }
            state.marks = before
            let after = try self.marks(&state)
            // Errors of a file that is just being replaced are not reported.
            if after.isSame(as: before) { return try result.get() }
            before = after
        }
        throw .unreadable(path, "other programs keep replacing it")
    }

    private func read(_ state: inout State, isThere: Bool) throws(StorageError) {
        guard let read else {
            let storage = FileStorage(at: url, calls: calls)
            if let place = state.place { storage.assume(place) }
            try state.begin(storage)
            // The journal's contents belong to the program that owns the file.
            if !state.contents.problems.isEmpty, let damage = FileStorage.damage(of: path, operations) { throw damage }
            return
        }
        guard isThere else { return state.contents = DomainContents() }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try operations.contents(of: path, limit: Self.textSizeLimit)
        } catch {
            guard error.cause == .fileTooLarge else { throw .unreadable(path, error) }
            throw .unreadable(path, "it has more than \(Self.textSizeLimit) bytes")
        }
        do throws(FormatError) {
            state.contents = DomainContents(try read(bytes).tree)
        } catch {
            throw StorageError(.unreadable, "\(path.quoted) can't be used as it is. \(error)")
        }
    }

    /// Follows the path, which the watch follows too, and checks the files there.
    private func marks(_ state: inout State) throws(StorageError) -> Marks {
        let now = wallTime(isExact: true)
        do throws(FileError) {
            let (resolved, links) = try operations.resolve(path)
            let names = FileNames(resolved)
            state.setPlace(FilePlace(names: names, links: links))
            let file = try operations.statusIfThere(at: names.file).map { FileSignature($0) }
            let journal = try operations.statusIfThere(at: names.journal)?.identity
            // A file of state may come back alone, which the marks do not show.
            if state.isWithoutJournal, try operations.statusIfThere(at: names.state) != nil {
                state.isWithoutJournal = false
            }
            return Marks(names: names, file: file, journal: journal, isSettled: file?.isSettled(at: now) == true)
        } catch {
            throw .unreadable(path, error)
        }
    }

    // MARK: Watching

    func watch(_ changed: @escaping @Sendable () -> Void) {
        let isCurrent = state.withLock { state in
            guard !state.isClosed else { return false }
            state.watch = watching.watch(state.place?.watchedNames ?? [:]) { _ in changed() }
            guard state.isWithoutJournal || state.storage != nil, let marks = try? self.marks(&state) else {
                return false
            }
            return state.isCurrent(at: marks)
        }
        // For changes since the first load.
        if !isCurrent { changed() }
    }

    func close() async {
        state.withLock { state in
            state.isClosed = true
            state.watch?.cancel()
            state.watch = nil
            state.discard()
        }
    }

    // MARK: Origins of values

    func place(of key: SettingKey) -> String {
        guard let found = lines.look(at: path) else { return "“\(path)”" }
        let value = state.withLock { $0.contents.tree[key] }
        guard read != nil || value == nil || value == found.tree[key] else { return "the journal of “\(path)”" }
        return found.place(of: key)
    }
}

extension FileDomainSource.State {
    /// Merges the records that others have appended to the journal.
    ///
    /// - Returns: False if only a new load can decide.
    fileprivate mutating func follow(_ storage: FileStorage) throws(StorageError) -> Bool {
        if let place { storage.assume(place) }
        let found = try storage.changes(after: StoragePosition(0))
        for change in found.changes {
            if case .unusable = change.content { return false }
            change.apply(to: &contents.tree)
        }
        return true
    }

    fileprivate mutating func begin(_ storage: FileStorage) throws(StorageError) {
        discard()
        let found = try storage.load()
        self.storage = storage
        contents = DomainContents(found.tree)
        switch found.outcome {
        case .absent, .intact: break
        case .recovered(let description, _): contents.problems = [description]
        case .removed:
            // The next load may find another file there.
            discard()
        }
    }

    fileprivate mutating func discard() {
        storage?.close()
        storage = nil
        isWithoutJournal = false
    }

    /// Returns whether it is certain that nothing has changed since the last load.
    fileprivate func isCurrent(at marks: FileDomainSource.Marks) -> Bool {
        guard self.marks.isSettled, marks.isSame(as: self.marks) else { return false }
        guard let storage else { return isWithoutJournal }
        return storage.withLockIfAvailable { !$0.hasNews() && !$0.isStateChanged } ?? false
    }

    /// Watches the files to which the path leads now.
    fileprivate mutating func setPlace(_ place: FilePlace) {
        guard place != self.place else { return }
        self.place = place
        watch?.update(place.watchedNames)
    }
}

extension FileDomainSource.Marks {
    /// The marks of a file that was read without a storage.
    ///
    /// - Parameter file: `nil` if it was missing, which any later change shows.
    fileprivate init(names: FileNames, _ file: FileReading?) {
        self.init(names: names, file: file?.signature, isSettled: file?.isSettled ?? true)
    }

    /// The files that a storage has just loaded. Does not wait for them.
    fileprivate init(of storage: FileStorage, at names: FileNames) {
        let loaded = storage.withLockIfAvailable { ($0.file.signature, $0.journal.openIdentity) }
        self.init(names: names, file: loaded?.0, journal: loaded?.1, isSettled: loaded?.0 != nil)
    }

    /// Returns whether both are of the same files, however long ago these were changed.
    fileprivate func isSame(as other: Self) -> Bool {
        names == other.names && file == other.file && journal == other.journal
    }
}

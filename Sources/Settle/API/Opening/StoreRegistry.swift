#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files that stores are open on in this process, so that one file has one store.
///
/// Each file is in one state. A file without a store is not listed.
///
/// ```
///   none ──open──▶ opening ──loaded──▶ open ──its last handle closes, or is gone──▶ closing ──closed──▶ none
///                     │                 ▲                                                          │
///                     └─failed─▶ none   └────────────────────────failed────────────────────────────┘
/// ```
///
/// Callers wait for an opening or a closing in progress without blocking a thread, then check the state again.
package final class StoreRegistry: Sendable {
    package static let shared: StoreRegistry = {
        let registry = StoreRegistry()
        registry.saveAtExit()
        return registry
    }()

    private struct Entry {
        let file: RegisteredFile
        /// `nil` while the store is being made, and again once nothing uses it, while its storage is being closed.
        weak var keeper: StoreKeeper?
        var waiters: [CheckedContinuation<Finding, Never>] = []

        mutating func takeWaiters() -> [CheckedContinuation<Finding, Never>] {
            defer { waiters = [] }
            return waiters
        }
    }

    /// The result of claiming a path.
    private enum Claim {
        /// A new entry, for the caller to open the file.
        case vacant(RegisteredFile)
        /// The file is listed already, perhaps by another path.
        case listed(at: FilePath)
    }

    /// The result of looking up a path.
    private enum Finding {
        case nothing
        case store(StoreKeeper)
        /// An opening or a closing has ended, so check again.
        case changed
    }

    // A plain lock, because no closure that runs under it may release the last reference to a store.
    private let entries = LockedValue<[FilePath: Entry]>([:])
    private let identities: FileIdentities
    /// Whether the file system of the process decides which paths are one file.
    private let isOnSystem: Bool

    /// - Parameters:
    ///   - identities: Default: those of the file system.
    ///   - isOnSystem: Default: without other identities.
    init(identities: FileIdentities? = nil, isOnSystem: Bool? = nil) {
        self.identities = identities ?? .system
        self.isOnSystem = isOnSystem ?? (identities == nil)
    }

    /// Returns a handle on the store that is open on a file, or on one that is opened for it.
    ///
    /// - Parameters:
    ///   - home: The home of the other user that the file belongs to, if it is another user's. No link in it is
    ///     followed.
    ///   - join: May refuse, by throwing, before a handle on a store that is already open is returned. The store may be
    ///     closed in the meantime.
    ///   - openAtOnce: As `open`, but never blocks: returns `nil` if the store can't be opened without that.
    ///   - open: Opens a store that ends the file's listing when the store has ended. It may block.
    func store(
        at file: URL, home: UserHome?, join: (StoreCore) async throws -> Void,
        orOpenAtOnce openAtOnce: (RegisteredFile, CachedSystemCalls) -> SettingsStore?,
        orOpen open: @escaping @Sendable (RegisteredFile) async throws -> SettingsStore
    ) async throws -> SettingsStore {
        while true {
            let (listed, opened) = try await claim(file, home: home, openAtOnce, open)
            if let opened { return opened }
            switch await find(listed) {
            case .store(let keeper):
                if let store = SettingsStore(joining: keeper) {
                    try await join(keeper.core)
                    return store
                }
                await untilClosed(keeper, at: listed)
            case .nothing, .changed: break
            }
        }
    }

    /// Claims a file, and opens it if it was vacant: on the calling thread if all that this needs is in the system's
    /// memory, because two switches of threads would take longer than the rest.
    ///
    /// - Returns: The path under which the file is listed, and the store if it was vacant.
    private func claim(
        _ file: URL, home: UserHome?, _ openAtOnce: (RegisteredFile, CachedSystemCalls) -> SettingsStore?,
        _ open: @escaping @Sendable (RegisteredFile) async throws -> SettingsStore
    ) async throws -> (listed: FilePath, opened: SettingsStore?) {
        let calls = CachedSystemCalls()
        guard isOnSystem, home == nil, let followed = RegisteredFile.follow(file, by: calls) else {
            return try await claim(file, home: home, open)
        }
        let path = followed.place.names.file
        let location = FileLocation(path, folder: calls.identity(ofFolder: path.folder))
        guard let (entry, others) = list(location, followed) else { return (path, nil) }
        guard !others.contains(where: { $0.mayBlock(comparedTo: path) }) else {
            end(entry)
            return try await claim(file, home: home, open)
        }
        if case .listed(let listed) = compare(entry, with: others, identities) { return (listed, nil) }
        if let store = openAtOnce(entry, calls) {
            change(entry) { $0?.keeper = store.keeper }
            return (path, store)
        }
        let store = try await runBlocking { [self] () async throws -> SettingsStore? in
            // The file may be a link, which only opening it has refused.
            guard RegisteredFile.follow(file)?.place == followed.place else { return nil }
            // Others still wait for this entry. Ending it would wake all of them, to compete for the next one.
            return try await openNew(entry, open)
        }
        if let store { return (path, store) }
        end(entry)
        return try await claim(file, home: home, open)
    }

    /// Claims a file, and opens it if it was vacant. One switch to another thread covers both steps.
    private func claim(
        _ file: URL, home: UserHome?, _ open: @escaping @Sendable (RegisteredFile) async throws -> SettingsStore
    ) async throws -> (listed: FilePath, opened: SettingsStore?) {
        try await runBlocking { [self] () async throws -> (listed: FilePath, opened: SettingsStore?) in
            let followed = home == nil ? RegisteredFile.follow(file) : nil
            let path = followed?.place.names.file ?? FilePath(file)
            let identities = home?.identities ?? identities
            guard let (entry, others) = list(FileLocation(path, identities), followed) else { return (path, nil) }
            switch compare(entry, with: others, identities) {
            case .vacant(let file): return (path, try await openNew(file, open))
            case .listed(let listed): return (listed, nil)
            }
        }
    }

    /// Opens a file that was vacant.
    private func openNew(
        _ file: RegisteredFile, _ open: (RegisteredFile) async throws -> SettingsStore
    ) async throws -> SettingsStore {
        do {
            // It has a handle before anything else can find it, so it can't have been closed yet.
            let store = try await open(file)
            change(file) { $0?.keeper = store.keeper }
            return store
        } catch {
            end(file)
            throw error
        }
    }

    /// The stores that are open.
    var stores: [StoreKeeper] { entries.withLock { $0.values.compactMap(\.keeper) } }

    /// The number of listed files, and of waiting openers. For tests.
    var count: Int { entries.withLock { $0.count } }
    var waiterCount: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.waiters.count } } }

    // MARK: Finding

    /// Lists a file.
    ///
    /// - Returns: The new entry, and the others at that moment; `nil` if the path is listed already.
    private func list(
        _ location: FileLocation, _ followed: (path: FilePath, place: FilePlace)?
    ) -> (entry: RegisteredFile, others: [RegisteredFile])? {
        let (path, file) = (location.path, RegisteredFile(location, followed, files: self))
        let others = entries.withLock { entries -> [RegisteredFile]? in
            guard entries[path] == nil else { return nil }
            defer { entries[path] = Entry(file: file) }
            return entries.values.map(\.file)
        }
        guard let others else { return nil }
        return (file, others)
    }

    /// Compares a file with the others, and ends its entry if one of them is the same file. Queries the file system, so
    /// it may block. Only after listing: of two paths claimed at the same time, the second one finds the first.
    private func compare(
        _ file: RegisteredFile, with others: [RegisteredFile], _ identities: FileIdentities
    ) -> Claim {
        guard let other = others.first(where: { file.isSameFile(as: $0, identities) }) else { return .vacant(file) }
        end(file)
        return .listed(at: other.path)
    }

    private func find(_ path: FilePath) async -> Finding {
        await withCheckedContinuation { continuation in
            let finding = entries.withLock { entries -> Finding? in
                guard let entry = entries[path] else { return .nothing }
                if let keeper = entry.keeper { return .store(keeper) }
                entries[path]?.waiters.append(continuation)
                return nil
            }
            if let finding { continuation.resume(returning: finding) }
        }
    }

    /// Waits until the closing of a store has ended, successfully or not.
    private func untilClosed(_ keeper: StoreKeeper, at path: FilePath) async {
        _ = await withCheckedContinuation { continuation in
            let mustWait = entries.withLock { entries in
                // A failed closing reopens the handles before it wakes the waiters, so no wake-up is missed here.
                guard entries[path]?.keeper === keeper, keeper.core.handles.areClosed else { return false }
                entries[path]?.waiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume(returning: .changed) }
        }
    }

    // MARK: State changes of a file

    func closingFailed(_ file: RegisteredFile) { change(file) { _ in } }

    func end(_ file: RegisteredFile) { change(file) { $0 = nil } }

    /// Changes the entry of a file, unless another one has its path by now, and wakes everything that waits for the
    /// file.
    private func change(_ file: RegisteredFile, _ body: (inout Entry?) -> Void) {
        let waiters = entries.withLock { entries -> [CheckedContinuation<Finding, Never>] in
            guard entries[file.path]?.file === file else { return [] }
            defer { body(&entries[file.path]) }
            return entries[file.path]?.takeWaiters() ?? []
        }
        for waiter in waiters { waiter.resume(returning: .changed) }
    }
}

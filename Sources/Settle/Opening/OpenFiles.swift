/// The files that stores are open on in this process, so that one file has one store.
///
/// Each file is in one state. A file without a store is not listed.
///
/// ```
///   none ──open──▶ opening ──loaded──▶ open ──the last handle closes, or the store goes away──▶ closing ──closed──▶ none
///                     │                 ▲                                                          │
///                     └─failed─▶ none   └────────────────────────failed────────────────────────────┘
/// ```
///
/// An opening and a closing that are under way are waited for, without a thread. Then whoever has waited looks again.
final class OpenFiles: Sendable {
    static let shared = OpenFiles()

    private struct Entry {
        let file: OpenFile
        /// `nil` while the store is being made, and again once nothing uses it any more, while its storage is being closed.
        weak var keeper: StoreKeeper?
        var waiters: [CheckedContinuation<Finding, Never>] = []

        mutating func takeWaiters() -> [CheckedContinuation<Finding, Never>] {
            defer { waiters = [] }
            return waiters
        }
    }

    /// What stands at a path.
    private enum Finding {
        /// Nothing stood there. The finder opens the file.
        case vacant(OpenFile)
        case store(StoreKeeper)
        /// An opening or a closing has ended.
        case changed
    }

    // A plain lock, because no closure that runs under it may let go of the last reference to a store.
    private let entries = LockedValue<[String: Entry]>([:])

    init() {}

    /// A handle on the store that is open on a file, or on one that is opened for it.
    ///
    /// - Parameters:
    ///   - path: What identifies the file, see ``OpenFile/path(of:)``.
    ///   - claimed: The place that ``claim(_:)`` has given.
    ///   - join: Has a say before a handle on a store that is open already is given away. That store may be closed meanwhile.
    ///   - open: Makes a store that ends the file's listing when it has ended.
    func store(
        at path: String, claimed: OpenFile?, join: (StoreCore) async throws -> Void,
        orOpen open: (OpenFile) async throws -> StoreKeeper
    ) async throws -> SettingsStore {
        var claimed = claimed
        while true {
            let finding = if let file = claimed.take() { Finding.vacant(file) } else { await find(path) }
            switch finding {
            case .vacant(let file):
                let keeper: StoreKeeper
                do {
                    keeper = try await open(file)
                } catch {
                    end(file)
                    throw error
                }
                // Before anything else finds it, it can't have been closed.
                let store = SettingsStore(joining: keeper)
                opened(file, keeper)
                if let store { return store }
            case .store(let keeper):
                if let store = SettingsStore(joining: keeper) {
                    try await join(keeper.core)
                    return store
                }
                await untilClosed(keeper, at: path)
            case .changed: break
            }
        }
    }

    /// How many files are listed, and how many openers wait. For tests.
    var count: Int { entries.withLock { $0.count } }
    var waiterCount: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.waiters.count } } }

    // MARK: Finding

    /// A place for a file that is not listed; `nil` if it is. Whoever gets one passes it on to ``store(at:claimed:join:orOpen:)``.
    func claim(_ path: String) -> OpenFile? {
        entries.withLock { entries in
            guard entries[path] == nil else { return nil }
            let file = OpenFile(path: path, files: self)
            entries[path] = Entry(file: file)
            return file
        }
    }

    private func find(_ path: String) async -> Finding {
        await withCheckedContinuation { continuation in
            if let file = claim(path) { return continuation.resume(returning: .vacant(file)) }
            let finding = entries.withLock { entries -> Finding? in
                // It has gone away in between, so somebody looks again.
                guard let entry = entries[path] else { return .changed }
                if let keeper = entry.keeper { return .store(keeper) }
                entries[path]?.waiters.append(continuation)
                return nil
            }
            if let finding { continuation.resume(returning: finding) }
        }
    }

    /// Waits until the closing of a store has ended, in whatever way.
    private func untilClosed(_ keeper: StoreKeeper, at path: String) async {
        _ = await withCheckedContinuation { continuation in
            let mustWait = entries.withLock { entries in
                // A closing that has failed first opens the handles again and then wakes, so none is missed here.
                guard entries[path]?.keeper === keeper, keeper.core.handles.areClosed else { return false }
                entries[path]?.waiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume(returning: .changed) }
        }
    }

    // MARK: What happens to a file

    private func opened(_ file: OpenFile, _ keeper: StoreKeeper) {
        wake(
            entries.withLock { entries in
                guard entries[file.path]?.file === file else { return [] }
                entries[file.path]?.keeper = keeper
                return entries[file.path]?.takeWaiters() ?? []
            })
    }

    func closingFailed(_ file: OpenFile) {
        wake(
            entries.withLock { entries in
                guard entries[file.path]?.file === file else { return [] }
                return entries[file.path]?.takeWaiters() ?? []
            })
    }

    func end(_ file: OpenFile) {
        wake(
            entries.withLock { entries in
                guard entries[file.path]?.file === file else { return [] }
                return entries.removeValue(forKey: file.path)?.waiters ?? []
            })
    }

    private func wake(_ waiters: [CheckedContinuation<Finding, Never>]) {
        for waiter in waiters { waiter.resume(returning: .changed) }
    }
}

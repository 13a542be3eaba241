import Synchronization

/// Keeps settings in memory, for tests, previews and programs that shall leave nothing behind.
public final class InMemoryStorage: Storage {
    private struct State {
        var contents: StorageContents
        var isClosed = false
    }

    private let state: Mutex<State>
    private let changes: AsyncStream<StorageContents>.Continuation

    public let externalChanges: AsyncStream<StorageContents>

    /// - Parameter tree: What is stored at first. An empty tree counts as nothing stored yet.
    public init(_ tree: SettingTree = SettingTree()) {
        state = Mutex(State(contents: StorageContents(tree: tree, outcome: tree.root.isEmpty ? .absent : .intact)))
        (externalChanges, changes) = AsyncStream.makeStream()
    }

    deinit {
        changes.finish()
    }

    /// What is stored now, also after ``close()``.
    public var tree: SettingTree {
        state.withLock { $0.contents.tree }
    }

    /// Replaces what is stored as if another process had done it: the new contents appear in ``externalChanges``.
    ///
    /// Nothing happens once the storage is closed.
    public func simulateExternalChange(_ tree: SettingTree) {
        let contents = StorageContents(tree: tree, outcome: .intact)
        state.withLock { state in
            guard !state.isClosed else { return }
            state.contents = contents
            // Inside the lock, so that two changes arrive in the order in which they were made. This only fills a
            // buffer; nobody's code runs here.
            changes.yield(contents)
        }
    }

    public func load() throws(StorageError) -> StorageContents {
        try state.withLock { (state) throws(StorageError) in
            try Self.checkOpen(state)
            return state.contents
        }
    }

    public func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) {
        try state.withLock { (state) throws(StorageError) in
            try Self.checkOpen(state)
            guard !batch.values.isEmpty else { return }
            state.contents.tree.apply(batch.values)
            state.contents.outcome = .intact
        }
    }

    public func checkpoint() throws(StorageError) {
        try state.withLock { (state) throws(StorageError) in try Self.checkOpen(state) }
    }

    public func close() {
        state.withLock { $0.isClosed = true }
        changes.finish()
    }

    private static func checkOpen(_ state: State) throws(StorageError) {
        guard !state.isClosed else { throw StorageError(.closed, "The in-memory storage has been closed.") }
    }
}

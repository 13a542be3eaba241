/// Keeps settings in memory, for tests, previews and programs that should leave nothing behind.
public final class InMemoryStorage: Storage {
    private struct State {
        var contents: StorageContents
        var notify: (@Sendable () -> Void)?
        var external: [ExternalChange] = []
        var isClosed = false
        var lockedNames: Set<String> = []
    }

    private let state: LockedValue<State>

    /// - Parameter tree: The initial contents. An empty tree counts as nothing stored yet.
    public init(_ tree: SettingTree = SettingTree()) {
        state = LockedValue(
            State(contents: StorageContents(tree: tree, outcome: tree.root.isEmpty ? .absent : .intact)))
    }

    /// What is stored now. Available after ``close()`` too.
    public var tree: SettingTree {
        state.withLock { $0.contents.tree }
    }

    /// Replaces what is stored, as another process would.
    ///
    /// Does nothing once the storage is closed.
    public func simulateExternalChange(_ tree: SettingTree) {
        simulate(ExternalChange(.everything(tree)), leaving: { _ in tree })
    }

    /// Changes some keys, as another process would.
    ///
    /// Does nothing once the storage is closed.
    public func simulateExternalChange(_ values: [SettingKey: SettingValue?], by author: String? = nil) {
        simulate(ExternalChange(.values(values), author: author)) { tree in
            var tree = tree
            tree.apply(values)
            return tree
        }
    }

    private func simulate(_ change: ExternalChange, leaving result: (SettingTree) -> SettingTree) {
        let notify = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isClosed else { return nil }
            state.contents = StorageContents(tree: result(state.contents.tree), outcome: .intact)
            state.external.append(change)
            return state.notify
        }
        notify?()
    }

    public func load() throws(StorageError) -> StorageContents {
        try state.withLock { (state) throws(StorageError) in
            try Self.checkOpen(state)
            state.external = []
            return state.contents
        }
    }

    public func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) {
        try state.withLock { (state) throws(StorageError) in
            try Self.checkOpen(state)
            guard !batch.values.isEmpty else { return }
            state.contents.tree.apply(batch.values)
            state.contents.outcome = .intact
            for index in state.external.indices { state.external[index].overwrite(batch.values) }
        }
    }

    public func externalChanges(since tree: () -> SettingTree) throws(StorageError) -> [ExternalChange] {
        try state.withLock { (state) throws(StorageError) in
            try Self.checkOpen(state)
            defer { state.external = [] }
            return state.external
        }
    }

    public func watch(_ notify: @escaping @Sendable () -> Void) {
        state.withLock { $0.notify = notify }
    }

    /// Works between several stores of one storage too, as if they were in different processes.
    public func tryReserve(_ name: String) throws(StorageError) -> Bool {
        try state.withLock { (state) throws(StorageError) in
            try Self.checkOpen(state)
            return state.lockedNames.insert(name).inserted
        }
    }

    public func giveUp(_ name: String) {
        state.withLock { _ = $0.lockedNames.remove(name) }
    }

    public func close() {
        state.withLock { state in
            state.isClosed = true
            state.notify = nil
        }
    }

    private static func checkOpen(_ state: State) throws(StorageError) {
        guard !state.isClosed else { throw StorageError(.closed, "The in-memory storage has been closed.") }
    }
}

import Settle

/// Keeps a machine's copy of a cluster's state in a storage of its own, usually a file.
///
/// A failed write does not stop the client: the cluster has the values. The failure is reported once, and the write is
/// tried again with the next change.
actor LocalCopy {
    private let storage: any Storage
    private(set) var contents = LocalContents()
    /// The contents of the storage.
    private var written = LocalContents()
    private var tree = SettingTree()
    private var lastError: StorageError?
    private var number: UInt64 = 0
    private let turns = Turns()

    init(_ storage: any Storage) { self.storage = storage }

    /// - Throws: The error of the storage. Nothing is written then.
    func load() async throws(StorageError) -> LocalContents {
        let found = try await storage.load()
        tree = found.tree
        contents = LocalContents(found.tree)
        written = contents
        return contents
    }

    /// Changes the copy.
    ///
    /// - Returns: The reason that it could not be written, unless that is known already.
    @discardableResult
    func update(
        _ durability: StorageDurability = .buffered, _ change: @Sendable (inout LocalContents) -> Void
    ) async -> StorageError? {
        change(&contents)
        await turns.enter()
        defer { turns.leave() }
        let values = contents.changes(from: written)
        guard !values.isEmpty || durability == .synced else { return nil }
        let target = contents
        number += 1
        do throws(StorageError) {
            _ = try await storage.append(StorageBatch(revision: number, values: values), durability: durability)
        } catch {
            defer { lastError = error }
            return error == lastError ? nil : error
        }
        lastError = nil
        tree.apply(values)
        written = target
        return nil
    }

    func close() async {
        await update { _ in }
        if let storage = storage as? any CheckpointingStorage {
            // Changes that it can't write to the file stay in the journal.
            _ = try? await storage.checkpoint(tree, for: .closing)
        }
        await storage.close()
    }
}

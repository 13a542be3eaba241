import Settle

/// Keeps what a machine has of a cluster in a storage of its own, usually a file.
///
/// What can't be written is no reason to stop: the cluster has the values. It is reported once, and tried again with
/// the next change.
actor LocalCopy {
    private let storage: any Storage
    private(set) var contents = LocalContents()
    /// What the storage has.
    private var written = LocalContents()
    private var tree = SettingTree()
    private var lastError: StorageError?
    private var number: UInt64 = 0
    private let turns = Turns()

    init(_ storage: any Storage) { self.storage = storage }

    /// - Throws: What the storage throws. Then nothing is written.
    func load() async throws(StorageError) -> LocalContents {
        let found = try await storage.load()
        tree = found.tree
        contents = LocalContents(found.tree)
        written = contents
        return contents
    }

    /// Changes what is kept.
    ///
    /// - Returns: Why it could not be written, unless that is known already.
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
            // What it can't write to the file stays in the journal.
            _ = try? await storage.checkpoint(tree, for: .closing)
        }
        await storage.close()
    }
}

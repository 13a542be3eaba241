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
    /// Whether the last load has found something that can't be read. Then nothing is written.
    private var isUnreadable = false
    private var lastError: StorageError?
    private var number: UInt64 = 0
    private let turns = Turns()

    init(_ storage: any Storage) { self.storage = storage }

    /// - Throws: The error of the storage, or that a pending or lost write can't be read. Nothing is written then.
    func load() async throws(StorageError) -> LocalContents {
        let found = try await storage.load()
        tree = found.tree
        do {
            contents = try LocalContents(found.tree)
        } catch {
            isUnreadable = true
            throw unreadable(error)
        }
        isUnreadable = false
        written = contents
        return contents
    }

    private func unreadable(_ write: LocalContents.UnreadableWrite) -> StorageError {
        let file = (storage as? FileStorage).map { " “\($0.path)”" } ?? ""
        return StorageError(
            .unreadable,
            "The local copy\(file) can't be read: “\(write.name)” is not a write in a format that this program knows, "
                + "and must not be lost. A newer program or an edit has changed it. Use the newer program, or "
                + "correct or remove the entry.")
    }

    /// Changes the copy.
    ///
    /// - Returns: The reason that it could not be written, unless that is known already.
    @discardableResult
    func update(
        _ durability: StorageDurability = .buffered, _ change: @Sendable (inout LocalContents) -> Void
    ) async -> StorageError? {
        guard !isUnreadable else { return nil }
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
        if !isUnreadable, let storage = storage as? any CheckpointingStorage {
            // Changes that it can't write to the file stay in the journal.
            _ = try? await storage.checkpoint(tree, for: .closing)
        }
        await storage.close()
    }
}

import Settle

/// A small storage of one file, with a deliberate flaw.
final class FlawedStorage: Storage {
    enum Flaw: Sendable, CaseIterable {
        case none
        /// Existing folders are taken to be on stable storage, although their creator may have been killed before
        /// syncing them.
        case trustsFolders
        /// A save does not sync the folder, so the rename may be undone.
        case forgetsFolderSync
        /// A save never syncs the file.
        case acknowledgesBeforeSync
        /// A save truncates the file and writes it in place.
        case writesInPlace
        /// A save removes the file before it renames the new one.
        case removesFirst
        /// A load fails while a new file stands beside the old one.
        case chokesOnLeftovers
        /// An append returns before it has written anything.
        case writesLater
        /// A save of two values is two saves.
        case splitsBatches
        /// A load rewrites the file in place.
        case rewritesOnLoad
        /// Saves after a load that found something do not sync the folder.
        case forgetsFolderSyncAfterLoad
        /// A load reports that nothing was ever stored, whatever it finds.
        case looksNew
        /// A load that finds a new file and no old one reports a removal.
        case looksRemoved
    }

    private struct State {
        var tree = SettingTree()
        var later: StorageBatch?
        var hasFound = false
    }

    private let operations: FileOperations
    private let flaw: Flaw
    private let state = LockedValue(State())
    private let folder = FilePath("/home/app")
    private let name: String
    private var file: FilePath { folder.appending(name) }
    private var temporary: FilePath { folder.appending("new") }

    init(_ calls: any SystemCalls, _ flaw: Flaw, name: String = "settings.json") {
        self.name = name
        operations = FileOperations(calls)
        self.flaw = flaw
    }

    func load() throws(StorageError) -> StorageContents {
        try state.withLock { (state) throws(StorageError) in
            do {
                if flaw == .chokesOnLeftovers, (try? operations.status(at: temporary)) != nil {
                    throw SystemError.wouldBlock
                }
                let descriptor = try operations.open(file, .read)
                let bytes = try operations.readAll(descriptor, at: file, limit: 1 << 20)
                try operations.close(descriptor, at: file)
                state.tree = try FileFormat.json.decode(bytes)
                state.hasFound = true
                if flaw == .rewritesOnLoad { try write(bytes, to: file, .update) }
            } catch let error as FileError where error.cause == .notFound {
                let isRemoved = flaw == .looksRemoved && (try? operations.status(at: temporary)) != nil
                return StorageContents(outcome: isRemoved ? .removed(description: "It has gone.") : .absent)
            } catch {
                throw StorageError(.unreadable, "\(error)")
            }
            return StorageContents(tree: state.tree, outcome: flaw == .looksNew ? .absent : .intact)
        }
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) -> StorageReceipt {
        try state.withLock { (state) throws(StorageError) in
            do {
                if let later = state.later { try save(later, &state) }
                state.later = nil
                if flaw == .writesLater {
                    state.later = batch
                } else if flaw == .splitsBatches {
                    for (key, value) in batch.values.sorted(by: { $0.key < $1.key }) {
                        try save(StorageBatch(revision: batch.revision, values: [key: value]), &state)
                    }
                } else {
                    try save(batch, &state)
                }
            } catch {
                throw StorageError(.writeFailed, "\(error)")
            }
            return StorageReceipt(position: StoragePosition(0), durability: .synced)
        }
    }

    func close() {
        state.withLock { state in
            if let later = state.later { try? save(later, &state) }
            state.later = nil
        }
    }

    private func save(_ batch: StorageBatch, _ state: inout State) throws {
        state.tree.apply(batch.values)
        let bytes = try FileFormat.json.encode(state.tree)
        // With `trustsFolders`, only folders that are created here have their names synced.
        let isMade = (try? operations.status(at: folder)) == nil
        try operations.makeFolders(folder)
        if flaw != .trustsFolders || isMade {
            for folder in [FilePath("/home"), FilePath("/")] { try operations.synchronizeFolder(folder) }
        }
        if flaw == .writesInPlace { return try write(bytes, to: file, .updateOrCreate(permissions: 0o600)) }
        try? operations.remove(temporary)
        try write(bytes, to: temporary, .createNew(permissions: 0o600))
        if flaw == .removesFirst { try? operations.remove(file) }
        try operations.rename(temporary, to: file)
        if flaw == .forgetsFolderSyncAfterLoad && state.hasFound { return }
        if flaw != .forgetsFolderSync { try operations.synchronizeFolder(folder) }
    }

    private func write(_ bytes: [UInt8], to path: FilePath, _ mode: OpenMode) throws {
        let descriptor = try operations.open(path, mode)
        try operations.truncate(descriptor, at: path, to: 0)
        try operations.write(bytes, to: descriptor, at: path)
        if flaw != .acknowledgesBeforeSync { try operations.synchronize(descriptor, at: path) }
        try operations.close(descriptor, at: path)
        if flaw == .writesInPlace { try operations.synchronizeFolder(folder) }
    }
}

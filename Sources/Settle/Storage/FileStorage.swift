import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps settings in one file that people can read and edit.
///
/// **What a save does.** The whole file is written anew beside the old one and renamed into its place, so that every
/// reader, also one after a crash, finds the old or the new contents. With ``StorageDurability/stable`` the file is
/// synced before the rename and its folder after it. Files are 0600 and folders that had to be made 0700, whatever the
/// process's mask says. A symbolic link to the file stays one: the file that it leads to is replaced.
///
/// **What a failure leaves behind.** The old contents, or the new ones if only the last sync failed, and the values in
/// memory: the next ``append(_:durability:)`` writes everything to another new file, also if its own batch is empty.
///
/// **What a load makes of the file.** No file: ``StorageContents/Outcome/absent``. A file that can't be read: an error,
/// and nothing is written over it until a load succeeds. A damaged file gets the name `settings.json.corrupt-1` (or the
/// next number that is free), and the version before it is used. That is `.settings.json.previous`: each save keeps the
/// file that it replaces under this name, if that file is known to be on stable storage, where the file system has hard
/// links. A file that somebody removed is absent; no earlier version comes back.
///
/// What a process that crashed left behind is removed by the next load: a file that is being written is locked by its
/// writer, so one that can be locked has none.
public final class FileStorage: Storage {
    /// The largest file that is read or written, in bytes.
    package static let sizeLimit = 256 << 20

    let operations: FileOperations
    /// As given, before links are followed.
    let path: FilePath
    /// The format asked for, if one was.
    let chosenFormat: FileFormat?
    private let isFileURL: Bool
    /// Held during I/O: a storage is called one call at a time, so that nobody waits for it.
    private let state: Mutex<FileStorageState>

    /// Nothing is read or made before ``load()``.
    ///
    /// - Parameters:
    ///   - url: The file. It and its folders may be missing.
    ///   - format: The format to write. An existing file is read in the format that it has. Without this parameter a
    ///     file keeps the format that it has, and a new one is an XML property list if its name ends in `.plist`, and
    ///     JSON otherwise.
    public convenience init(at url: URL, format: FileFormat? = nil) {
        self.init(at: url, format: format, calls: POSIXSystemCalls())
    }

    package init(at url: URL, format: FileFormat? = nil, calls: any SystemCalls) {
        operations = FileOperations(calls)
        path = FilePath(url.absoluteURL.path(percentEncoded: false)).withoutTrailingSlashes
        isFileURL = url.isFileURL
        chosenFormat = format
        state = Mutex(FileStorageState(names: FileNames(path), format: format ?? .json))
    }

    public func load() throws(StorageError) -> StorageContents {
        try state.withLock { (state) throws(StorageError) in
            if case .closed = state.phase { throw .closed(path) }
            do throws(StorageError) {
                guard isFileURL, !path.name.isEmpty, !path.text.utf8.contains(0) else {
                    throw StorageError.unreadable(path, "it is not the URL of a file")
                }
                let contents = try load(into: &state)
                removeAbandonedFiles(beside: state.names)
                return contents
            } catch {
                state.loadFailed(error)
                throw error
            }
        }
    }

    /// Writes the file, if there is anything to write.
    ///
    /// An empty batch writes nothing unless an earlier append failed, or did not sync and this one shall.
    public func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) {
        try state.withLock { (state) throws(StorageError) in
            try checkReady(state)
            guard state.mustWrite(batch, durability) else { return }
            var tree = state.tree
            tree.apply(batch.values)
            let bytes = try encode(tree, as: state.format)
            state.add(batch, resultingIn: tree)
            try save(bytes, durability, &state)
        }
    }

    public func close() {
        state.withLock { $0.close() }
    }

    func save(
        _ bytes: [UInt8], _ durability: StorageDurability, _ state: inout FileStorageState
    ) throws(StorageError) {
        var replacement = FileReplacement(
            operations, names: state.names, isStable: durability == .stable, previous: state.previous,
            unsyncedFolders: state.unsyncedFolders)
        do {
            try replacement.run(bytes)
        } catch {
            state.saveFailed(replacement)
            throw .saveFailed(state.names.file, error, isInPlace: replacement.isInPlace)
        }
        state.saved(replacement)
    }

    func encode(_ tree: SettingTree, as format: FileFormat) throws(StorageError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try format.encode(tree)
        } catch {
            throw StorageError(.unsupportedValue, "\"\(path)\" can't hold one of its values. \(error)")
        }
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge(path, toHold: bytes.count) }
        return bytes
    }

    private func checkReady(_ state: FileStorageState) throws(StorageError) {
        switch state.phase {
        case .ready: break
        case .closed: throw .closed(path)
        case .unloaded: throw .notWritten(path, "it has not been loaded yet")
        case .unreadable(let error): throw .notWritten(path, "the last load failed: \(error)", errno: error.errno)
        }
    }
}

/// The state of a storage that one store reads and writes as a whole: it does everything that a ``Storage`` has to do
/// besides reading and writing.
///
/// ```swift
/// actor FileOfMine: Storage {
///     private var state = StorageState()
///
///     func load() throws(StorageError) -> StorageContents {
///         try state.load { try read() }
///     }
///
///     func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) -> StorageReceipt {
///         try state.append(batch) { try write($0) }
///     }
///
///     func close() { state.close() }
/// }
/// ```
public struct StorageState: Sendable {
    private enum Phase {
        case unread, closed
        case read(SettingTree, lastBatch: StorageBatch.ID?)
    }

    private var phase = Phase.unread

    /// Creates the state of a storage that has not been loaded.
    public init() {}

    /// Loads everything.
    ///
    /// - Parameter read: Returns what is stored; `nil` if nothing has ever been.
    /// - Throws: ``StorageError``: what `read` throws, as ``StorageError/Code/unreadable`` if it is another error.
    public mutating func load(_ read: () throws -> SettingTree?) throws(StorageError) -> StorageContents {
        if case .closed = phase { throw Self.closed }
        phase = .unread
        do {
            let tree = try read()
            phase = .read(tree ?? SettingTree(), lastBatch: nil)
            return StorageContents(tree: tree ?? SettingTree(), outcome: tree == nil ? .absent : .intact)
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.unreadable, "The settings can't be read: \(error)")
        }
    }

    /// Appends a batch, unless it has just been appended or has no values.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - write: Stores everything, the batch included, on stable storage: all of it or nothing.
    /// - Throws: ``StorageError``: what `write` throws, as ``StorageError/Code/writeFailed`` if it is another error.
    ///   Then nothing must be stored, unless its ``StorageError/isOutcomeUnknown`` says so.
    public mutating func append(
        _ batch: StorageBatch, _ write: (SettingTree) throws -> Void
    ) throws(StorageError) -> StorageReceipt {
        let (tree, lastBatch): (SettingTree, StorageBatch.ID?)
        switch phase {
        case .closed: throw Self.closed
        case .unread: throw StorageError(.unreadable, "The settings have not been read, so they are not overwritten.")
        case .read(let known, let last): (tree, lastBatch) = (known, last)
        }
        let receipt = StorageReceipt(position: StoragePosition(batch.revision), durability: .synced)
        guard !batch.values.isEmpty, batch.id != lastBatch else { return receipt }
        do {
            for case (let key, let value?) in batch.values { try StorableCheck.check(value, at: key) }
            var new = tree
            new.apply(batch.values)
            try write(new)
            phase = .read(new, lastBatch: batch.id)
        } catch let error as StorageError {
            throw error
        } catch let error as FormatError {
            throw StorageError(.unsupportedValue, "\(error)")
        } catch {
            throw StorageError(.writeFailed, "The settings can't be written: \(error)")
        }
        return receipt
    }

    /// Closes the storage: from now on every call throws ``StorageError/Code/closed``.
    public mutating func close() { phase = .closed }

    private static let closed = StorageError(.closed, "The storage has been closed.")
}

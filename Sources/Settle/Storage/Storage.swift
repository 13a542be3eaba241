/// Where a store keeps its values: a file, memory, or something of your own.
///
/// A store calls its storage from one serial queue, one call at a time, so an implementation needs no lock for its
/// own state beyond what `Sendable` asks for. Calls may block. A storage never calls the store: what happens outside
/// goes into ``externalChanges``.
///
/// A store loads before it appends. `StorageConformance` in `SettleTesting` checks an implementation against these
/// guarantees.
public protocol Storage: Sendable {
    /// Reads everything that is stored.
    ///
    /// - Returns: What was found; see ``StorageContents``.
    /// - Throws: ``StorageError`` if the state can't be read at all. After that nothing may be written over it: every
    ///   later ``append(_:durability:)`` throws until a `load` succeeds.
    func load() throws(StorageError) -> StorageContents

    /// Adds a batch to what is stored. All of it is added or none of it.
    ///
    /// After a throw the storage still has everything that it had before, and the same batch may be appended again,
    /// alone or merged with later ones.
    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError)

    /// Brings what was appended into the storage's resting form (for a file: the readable file, synced).
    func checkpoint() throws(StorageError)

    /// What changes in the storage without the store's doing. The stream ends when the storage closes.
    var externalChanges: AsyncStream<StorageContents> { get }

    /// Releases what the storage holds. Called once, after the last append.
    func close()
}

/// Where a store keeps its values: a file, memory, a server, or something of your own.
///
/// Three functions are enough: ``load()``, ``append(_:durability:)`` and ``close()``. A storage that others change too,
/// such as another process or another machine, is a ``SharedStorage``. A storage that also keeps the values in a form
/// for people, such as a readable file, is a ``CheckpointingStorage``.
///
/// **Calls.** A store loads first. From then on it makes one call at a time, except for those documented to come at any
/// time. All calls run on a queue of the store's own, those about named locks on a second one, so a storage may block
/// its thread; while a call waits asynchronously, it occupies no thread.
///
/// **Answers.** An error means that nothing was stored, unless its ``StorageError/isOutcomeUnknown`` says that the
/// batch may have been stored all the same. Then the store repeats the same batch, and the storage recognizes it by its
/// ``StorageBatch/id`` and does not store it twice. A `commit` that was surely not stored is undone and throws; the
/// values of plain writes stay in force, and are appended again later.
///
/// A storage never calls the store. `StorageConformance` in `SettleTesting` checks an implementation against these
/// guarantees, and <doc:WritingAStorage> shows a complete one.
public protocol Storage: Sendable {
    /// Reads everything that is stored.
    ///
    /// - Returns: The values, and how they were found; see ``StorageContents``.
    /// - Throws: ``StorageError`` if the state can't be read at all. From then on nothing may be written over it: every
    ///   later ``append(_:durability:)`` throws until a `load` succeeds.
    func load() async throws(StorageError) -> StorageContents

    /// Adds a batch to what is stored, after everything that others have added. All of it is added or none of it.
    ///
    /// An empty batch with ``StorageDurability/synced`` makes all earlier appends durable. If it has conditions, they
    /// are checked like those of any other batch: a commit that has changed nothing relies on it. A batch whose
    /// ``StorageBatch/id`` is that of the last stored one is not stored again.
    ///
    /// - Throws: ``StorageError``, before the first ``load()`` too. The storage still has everything that it had
    ///   before, and the same values may be appended again, alone or merged with later ones.
    func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt

    /// The limits of a batch.
    var limits: StorageLimits { get }

    /// Checks whether a value can be stored at a key. A value that can't is left out of its batch, because it would
    /// prevent the batch from being stored. Called on any thread, at any time; must not wait.
    ///
    /// - Throws: ``StorageError`` with ``StorageError/Code/unsupportedValue`` and the reason.
    func check(_ value: SettingValue, at key: SettingKey) throws(StorageError)

    /// Whether ``preserve(_:)`` stores anything.
    var preservesWaiting: Bool { get }

    /// Stores pending values where they survive the end of the process, for example on this machine while a server
    /// can't be reached. Called while appends fail, soon after something has been written that has not been in any
    /// append yet.
    ///
    /// - Parameter waiting: All pending values, in place of those that were preserved before; its identity has no
    ///   meaning. They are also appended, once the store tries again.
    func preserve(_ waiting: StorageBatch) async

    /// Releases what the storage holds. Called once, after the last append, when no lock is held any more.
    func close() async
}

extension Storage {
    public var limits: StorageLimits { StorageLimits() }

    public var preservesWaiting: Bool { false }

    public func preserve(_ waiting: StorageBatch) async {}

    /// Refuses values that no settings file can hold: more than 128 levels, including those of the key, a value of more
    /// than 255 MiB, a ``SettingValue/number(_:)`` that is not a number, and a date that is not finite.
    public func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        do throws(FormatError) {
            try StorableCheck.check(value, at: key)
        } catch {
            throw StorageError(.unsupportedValue, "\(error)")
        }
    }
}

/// How safe an appended batch must be when ``Storage/append(_:durability:)`` returns.
public enum StorageDurability: Sendable, Hashable {
    /// Survives the end of this process, but not necessarily a crash of the machine.
    case buffered
    /// On stable storage: survives a loss of power.
    case synced
}

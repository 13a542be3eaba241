/// Where a store keeps its values: a file, memory, or something of your own.
///
/// A store makes one call at a time: ``load()`` on a thread of its own, and then everything else on one serial queue.
/// So an implementation needs no lock for its own state beyond what `Sendable` requires. Calls may block: no actor and
/// no thread of the concurrency runtime waits for them. A storage never calls the store: it signals through
/// ``watch(_:)`` that something has happened outside, and is then asked for the changes.
///
/// A store loads before it appends. `StorageConformance` in `SettleTesting` checks an implementation against these
/// guarantees.
public protocol Storage: Sendable {
    /// Reads everything that is stored.
    ///
    /// - Returns: What was found; see ``StorageContents``.
    /// - Throws: ``StorageError`` if the state can't be read at all. From then on nothing may be written over it: every
    ///   later ``append(_:durability:)`` throws until a `load` succeeds.
    func load() throws(StorageError) -> StorageContents

    /// Adds a batch to what is stored, after everything that others have added. All of it is added or none of it.
    ///
    /// An empty batch with ``StorageDurability/synced`` makes all earlier appends stable.
    ///
    /// After an error the storage still has everything that it had before, and the same batch may be appended again,
    /// alone or merged with later ones.
    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError)

    /// Checks whether a value can be stored at a key. A value that can't is left out of its batch, which it would
    /// otherwise keep from being stored. Called on any thread; must not wait.
    ///
    /// - Throws: ``StorageError`` with ``StorageError/Code/unsupportedValue`` and the reason.
    func check(_ value: SettingValue, at key: SettingKey) throws(StorageError)

    /// Brings what was appended into the storage's resting form (for a file: the readable file), and makes it stable.
    ///
    /// - Parameters:
    ///   - tree: All values as the storage has reported them: what was loaded, with every appended batch and every
    ///     change that ``Storage/externalChanges(since:)`` has returned.
    ///   - moment: Why the store asks. Before the last moment a storage may put off what costs more than it is worth.
    /// - Returns: Whether the storage is at rest now. If not, the store asks again later.
    func checkpoint(_ tree: SettingTree, at moment: CheckpointReason) throws(StorageError) -> Bool

    /// Whether the resting form has everything that is stored. Read after a load: a process may have been killed before
    /// it could write the resting form.
    var isAtRest: Bool { get }

    /// The changes of others since the last call, oldest first, without what a later batch has overwritten.
    ///
    /// - Parameter tree: All values, as in ``Storage/checkpoint(_:at:)``. Evaluated only to find the differences.
    /// - Throws: ``StorageError`` if the changes can't be determined now. Nothing is lost; the next call returns them.
    func externalChanges(since tree: () -> SettingTree) throws(StorageError) -> [ExternalChange]

    /// Values that stood at a key, or parts of them within it, before others replaced them with what is stored there
    /// now. Called when that can't be used. Unlike other calls, it may come on any thread and at any time after a load.
    ///
    /// - Returns: The values, likeliest first. Those that a program has overwritten or others have removed are not
    ///   among them.
    func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue]

    /// Keeps values in force although what is stored at their keys can't be used, so that a later load finds them in
    /// ``Storage/keptValues(forKey:insteadOf:)``; `nil` means that nothing need be kept for a key. An append that
    /// writes the key ends this too.
    func keep(_ values: [SettingKey: SettingValue?]) throws(StorageError)

    /// What is stored from now on contains secrets: only the user may read any of it, whatever the permissions were
    /// until now.
    func keepPrivate()

    /// Registers a function to call whenever ``externalChanges(since:)`` may have something new, until the storage
    /// closes. Called once, after a successful load. The function returns immediately, and may be called on any thread.
    func watch(_ notify: @escaping @Sendable () -> Void)

    /// Keeps others from changing anything until ``unlock()``. Their earlier changes are in
    /// ``externalChanges(since:)``.
    ///
    /// - Throws: ``StorageError`` if another process or store has held the lock for too long.
    func lock() throws(StorageError)

    func unlock()

    /// Reserves a name among all storages of the same place, also in other processes, until ``giveUp(_:)``, ``close()``
    /// or the end of the process. A reservation does not keep others from changing what is stored.
    ///
    /// - Parameter name: 1 to 64 ASCII letters, digits, hyphens and underscores.
    /// - Returns: False if the name is reserved already. Must not wait; the store asks again a moment later.
    /// - Throws: ``StorageError`` if the name can't be reserved, or if that can't be determined. Then it is not
    ///   reserved.
    func tryReserve(_ name: String) throws(StorageError) -> Bool

    /// Releases a reserved name.
    func giveUp(_ name: String)

    /// Releases what the storage holds. Called once, after the last append, when no name is reserved any more.
    func close()
}

extension Storage {
    /// Refuses what no settings file can hold: more than 128 levels, including those of the key, a value of more than
    /// 255 MiB, a ``SettingValue/number(_:)`` that is not a number, and a date that is not finite.
    public func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        do throws(FormatError) {
            try StorableCheck.check(value, at: key)
        } catch {
            throw StorageError(.unsupportedValue, "\(error)")
        }
    }
}

/// Defaults for a storage that only its own store changes.
extension Storage {
    public func checkpoint(_ tree: SettingTree, at moment: CheckpointReason) throws(StorageError) -> Bool {
        try append(StorageBatch(revision: 0, values: [:]), durability: .synced)
        return true
    }
    public var isAtRest: Bool { true }
    public func externalChanges(since tree: () -> SettingTree) throws(StorageError) -> [ExternalChange] { [] }
    public func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] { [] }
    public func keep(_ values: [SettingKey: SettingValue?]) throws(StorageError) {}
    public func keepPrivate() {}
    public func watch(_ notify: @escaping @Sendable () -> Void) {}
    public func lock() throws(StorageError) {}
    public func unlock() {}
    public func tryReserve(_ name: String) throws(StorageError) -> Bool { true }
    public func giveUp(_ name: String) {}
}

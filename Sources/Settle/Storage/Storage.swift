/// Where a store keeps its values: a file, memory, or something of your own.
///
/// A store makes one call at a time: ``load()`` on a thread of its own, and then everything else on one serial queue. So an
/// implementation needs no lock for its own state beyond what `Sendable` asks for. Calls may block: no actor and no thread of the
/// concurrency runtime waits for them. A storage never calls the store: it says through
/// ``watch(_:)`` that something has happened outside, and is then asked what.
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

    /// Adds a batch to what is stored, after whatever others have added. All of it is added or none of it.
    ///
    /// An empty batch with ``StorageDurability/stable`` makes everything stable that was appended before.
    ///
    /// After a throw the storage still has everything that it had before, and the same batch may be appended again,
    /// alone or merged with later ones.
    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError)

    /// Looks whether a value could be stored at a key. One that could not is not appended with others, which it would keep from
    /// being stored. Called on any thread, and must not wait.
    ///
    /// - Throws: ``StorageError`` with ``StorageError/Code/unsupportedValue`` and the reason.
    func check(_ value: SettingValue, at key: SettingKey) throws(StorageError)

    /// Brings what was appended into the storage's resting form (for a file: the readable file), and makes it stable.
    ///
    /// - Parameters:
    ///   - tree: All values, as the storage has told them: what was loaded, with every batch that was appended and every change
    ///     that ``Storage/externalChanges(since:)`` has returned.
    ///   - moment: Why the store asks. Before the last moment a storage may put off what costs more than it is worth.
    /// - Returns: Whether the storage is at rest now. If not, the store asks again later.
    func checkpoint(_ tree: SettingTree, at moment: CheckpointMoment) throws(StorageError) -> Bool

    /// Whether the resting form has everything that is stored. Asked after a load: somebody may have been killed before he could
    /// bring it about.
    var isAtRest: Bool { get }

    /// What others have changed since the last call, oldest first, without what a later batch has overwritten.
    ///
    /// - Parameter tree: All values, as in ``Storage/checkpoint(_:at:)``. Only evaluated to find out what differs.
    /// - Throws: ``StorageError`` if nobody can tell now. Nothing is forgotten; the next call tells.
    func externalChanges(since tree: () -> SettingTree) throws(StorageError) -> [ExternalChange]

    /// Values that stood at a key, or a part of them within it, before somebody else put what is stored there now in their place.
    /// Asked when that can't be used. Unlike the others it may be called on any thread and at any time after a load.
    ///
    /// - Returns: The likeliest first. Those that a program has written over, or that somebody has removed, are not among them.
    func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue]

    /// Keeps values in force beside what is stored at their keys, because that can't be used, so that a later load finds them in
    /// ``Storage/keptValues(forKey:insteadOf:)``; `nil` means that nothing need be kept for a key. An append that writes the key ends it too.
    func keep(_ values: [SettingKey: SettingValue?]) throws(StorageError)

    /// What is stored from now on has secrets in it: nobody but the user may read any of it, whoever could until now.
    func keepPrivate()

    /// Has a function called whenever ``externalChanges(since:)`` may have something new, until the storage closes. Called
    /// once, after a successful load. The function is quick, and may be called on any thread.
    func watch(_ notify: @escaping @Sendable () -> Void)

    /// Keeps others from changing anything until ``unlock()``; what they have changed before is in ``externalChanges(since:)``.
    ///
    /// - Throws: ``StorageError`` if somebody else has kept the lock for too long.
    func lock() throws(StorageError)

    func unlock()

    /// Reserves a name for this storage among all that use the same place, also in other processes, until ``giveUp(_:)``,
    /// ``close()`` or the end of the process. That keeps nobody from changing what is stored.
    ///
    /// - Parameter name: 1 to 64 ASCII letters, digits, hyphens and underscores.
    /// - Returns: False if somebody has reserved the name. It must not wait; the store asks again a moment later.
    /// - Throws: ``StorageError`` if the name can't be reserved, or nobody can tell. Then it is not.
    func tryReserve(_ name: String) throws(StorageError) -> Bool

    /// Gives a reserved name up.
    func giveUp(_ name: String)

    /// Releases what the storage holds. Called once, after the last append, when no name is reserved any more.
    func close()
}

extension Storage {
    /// Refuses what no settings file can hold: more than 128 levels, with those of the key, a value of more than 255 MiB, a
    /// ``SettingValue/number(_:)`` that is none, and a date that is not finite.
    public func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        do throws(FormatError) {
            try StorableCheck.check(value, at: key)
        } catch {
            throw StorageError(.unsupportedValue, "\(error)")
        }
    }
}

/// For a storage that nobody else changes.
extension Storage {
    public func checkpoint(_ tree: SettingTree, at moment: CheckpointMoment) throws(StorageError) -> Bool {
        try append(StorageBatch(revision: 0, values: [:]), durability: .stable)
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

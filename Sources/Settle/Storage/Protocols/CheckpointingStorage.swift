/// A storage whose values also have a form for people, such as a readable file.
///
/// What was appended reaches that form at a checkpoint. Because people edit it, it may have values that can't be used;
/// then the storage keeps those that stood there before.
public protocol CheckpointingStorage: Storage {
    /// Brings what was appended into the storage's resting form (for a file: the readable file), and makes it durable.
    ///
    /// - Parameters:
    ///   - tree: All values as the storage has reported them: what was loaded, with every appended batch and every
    ///     external change that it has returned.
    ///   - reason: Why the store asks. Before it closes, a storage may put off what costs more than it is worth.
    /// - Returns: Whether the storage is at rest now. If not, the store asks again later.
    func checkpoint(_ tree: SettingTree, for reason: CheckpointReason) async throws(StorageError) -> Bool

    /// Whether the resting form has everything that is stored. Read after a load: a process may have been killed before
    /// it could write the resting form.
    var isAtRest: Bool { get }

    /// Values that stood at a key, or parts of them within it, before others replaced them with what is stored there
    /// now. Called when that can't be used, on any thread and at any time; must not wait.
    ///
    /// - Returns: The values, likeliest first. Those that a program has overwritten or others have removed are not
    ///   among them.
    func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue]

    /// Keeps values in force although what is stored at their keys can't be used, so that a later load finds them in
    /// ``keptValues(forKey:insteadOf:)``; `nil` means that nothing need be kept for a key. An append that
    /// writes the key ends this too.
    func keep(_ values: [SettingKey: SettingValue?]) async throws(StorageError)

    /// Whether something is stored at a key or within it, or was, as far as the storage still has it.
    ///
    /// - Throws: ``StorageError`` if that can't be determined.
    func hasTraces(of key: SettingKey) async throws(StorageError) -> Bool

    /// Keeps a copy of all values as they are before a migration, in place of the one before.
    ///
    /// - Throws: ``StorageError`` if there is none now. Then nothing is migrated.
    func keepVersion(_ tree: SettingTree) async throws(StorageError)

    /// What is stored from now on contains secrets: only the user may read any of it, whatever the permissions were
    /// until now. Must not wait.
    func keepPrivate()

    /// Some keys are state: what programs only remember, and what has no place in the form for people. Others are none,
    /// or none any more. Takes effect with the next checkpoint. Must not wait.
    ///
    /// What was said of other keys still holds, also after a load.
    func keepApart(state: Set<SettingKey>, from others: Set<SettingKey>)

    /// Whether it is known of any key that it is state. Read at any time; must not wait.
    var hasState: Bool { get }
}

extension CheckpointingStorage {
    /// Keeps none.
    public func keepVersion(_ tree: SettingTree) {}

    /// Keeps everything together.
    public func keepApart(state: Set<SettingKey>, from others: Set<SettingKey>) {}

    /// None.
    public var hasState: Bool { false }
}

extension Storage {
    /// Makes a checkpoint. A storage without a resting form is at rest once everything is on stable storage.
    package func bringToRest(_ tree: SettingTree, for reason: CheckpointReason) async throws(StorageError) -> Bool {
        if let storage = self as? any CheckpointingStorage { return try await storage.checkpoint(tree, for: reason) }
        _ = try await append(StorageBatch(revision: 0, values: [:]), durability: .synced)
        return true
    }
}

/// Why a store asks its storage for its resting form.
public enum CheckpointReason: Sendable, Hashable {
    /// Changes have settled, and more may come at any time.
    case settled
    /// Changes go on, and have for as long as may be waited for them to settle.
    case changing
    /// Nothing has changed for so long that the cost does not matter.
    case resting
    /// A caller has asked for it and waits; see ``SettingsStore/File/flush()``.
    case requested
    /// A caller wants earlier values gone from wherever the storage keeps them; see
    /// ``SettingsStore/File/eraseEarlierValues()``.
    case erasing
    /// The store closes.
    case closing
}

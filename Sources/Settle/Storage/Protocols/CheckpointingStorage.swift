/// A storage whose values also have a form for people, such as a readable file.
///
/// A checkpoint writes appended values in that form. Because people edit it, it may have values that can't be used.
/// Then the storage keeps the values that were there before.
public protocol CheckpointingStorage: Storage {
    /// Writes all appended values to the storage's readable form (for a file: the readable file), and makes it durable.
    ///
    /// - Parameters:
    ///   - tree: All values as the storage has reported them: the loaded ones, with every appended batch and every
    ///     external change that it has returned.
    ///   - reason: Why the store asks. Before the store closes, a storage may put off a checkpoint that costs more than
    ///     it is worth.
    /// - Returns: Whether the readable form is complete now. If not, the store asks again later.
    func checkpoint(_ tree: SettingTree, for reason: CheckpointReason) async throws(StorageError) -> Bool

    /// Whether the readable form has everything that is stored. Read after a load: a process may have been killed
    /// before it could write that form.
    var isAtRest: Bool { get }

    /// Returns values that were stored at a key, or parts of them within it, before others replaced them with the value
    /// that is stored now. Called when that value can't be used, on any thread and at any time; must not wait.
    ///
    /// - Returns: The values, likeliest first, without those that a program has overwritten or others have removed.
    func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue]

    /// Preserves values that stay in force although the stored values at their keys can't be used, so that a later load
    /// finds them in ``keptValues(forKey:insteadOf:)``. `nil` means that nothing need be preserved for a key. An append
    /// that writes the key ends this too.
    func keep(_ values: [SettingKey: SettingValue?]) async throws(StorageError)

    /// Returns whether something is stored at a key or within it, or was, if the storage still has a trace of it.
    ///
    /// - Throws: ``StorageError`` if that can't be determined.
    func hasTraces(of key: SettingKey) async throws(StorageError) -> Bool

    /// Preserves a copy of all values as they are before a migration, in place of the previous copy.
    ///
    /// - Throws: ``StorageError`` if there is no copy now. Then nothing is migrated.
    func keepVersion(_ tree: SettingTree) async throws(StorageError)

    /// Makes all that is stored readable only by the user, whatever the permissions were until now: from now on it
    /// contains secrets. Must not wait.
    func keepPrivate()

    /// Declares that some keys are state, which programs only remember and which does not belong in the form for
    /// people. Other keys are not state, or no longer. Takes effect with the next checkpoint. Must not wait.
    ///
    /// Earlier declarations of other keys still hold, even after a load.
    func keepApart(state: Set<SettingKey>, from others: Set<SettingKey>)

    /// Whether any key is known to be state. Read at any time; must not wait.
    var hasState: Bool { get }
}

extension CheckpointingStorage {
    /// Preserves no copy.
    public func keepVersion(_ tree: SettingTree) {}

    /// Keeps state with all other values.
    public func keepApart(state: Set<SettingKey>, from others: Set<SettingKey>) {}

    /// Always `false`.
    public var hasState: Bool { false }
}

extension Storage {
    /// Makes a checkpoint. For a storage without a readable form, making everything durable is enough.
    package func bringToRest(_ tree: SettingTree, for reason: CheckpointReason) async throws(StorageError) -> Bool {
        if let storage = self as? any CheckpointingStorage { return try await storage.checkpoint(tree, for: reason) }
        _ = try await append(StorageBatch(revision: 0, values: [:]), durability: .synced)
        return true
    }
}

/// The reason why a store asks its storage for a checkpoint.
public enum CheckpointReason: Sendable, Hashable {
    /// Changes have settled, and more may come at any time.
    case settled
    /// Changes continue, and the store has waited for them to settle as long as it may.
    case changing
    /// Nothing has changed for so long that the cost does not matter.
    case resting
    /// A caller has asked for it and waits; see ``SettingsStore/File/flush()``.
    case requested
    /// A caller wants earlier values removed wherever the storage keeps them; see
    /// ``SettingsStore/File/eraseEarlierValues()``.
    case erasing
    /// The store closes.
    case closing
}

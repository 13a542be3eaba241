/// The code that may write the settings of a group.
///
/// A store can be written without its groups: by key, from a settings page or a command line, or with
/// ``SettingsStore/reset(author:)``. That is not right for every setting: resetting a counter of wrong guesses allows
/// more guesses.
///
/// ```swift
/// struct PasscodeSettings: SettingsGroup {
///     static let access = SettingsAccess.owner
///     @Setting(in: 0...20) var attemptCount = 0
/// }
/// ```
public enum SettingsAccess: String, Sendable, Hashable, Codable, CaseIterable {
    /// Any code that has the store.
    case open
    /// Only code that has the group.
    ///
    /// The setters, `update`, `commit` and the `reset` of the group itself and of its settings work as usual, because
    /// code that has the group is the owner. From the first opening of the group until the store closes, even while the
    /// group is not in use:
    ///
    /// - ``SettingsStore/reset(author:)`` and the `reset` of a group around it leave its settings as they are;
    /// - a write or a removal by key, of its settings' keys and of those around or within them, throws a
    ///   ``SettingsError`` with ``SettingsError/Code/protected``.
    ///
    /// Transactions that have changed them can't be undone (``SettingsStore/History/undo(_:force:author:)``), not even
    /// by a program that has never opened the group.
    ///
    /// This prevents writes by mistake, or by users who may only change what an app offers by key. It is not a barrier
    /// within a process, where any code may declare a group with the same keys, nor around the file: other processes
    /// and people with an editor can write anything, which is merged as an external change. It does not restrict
    /// reading.
    case owner
}

/// Who may write the settings of a group.
///
/// A store can be written without its groups: by key, from a settings page or a command line, or with
/// ``SettingsStore/reset(by:)``. Not everything may be: who resets a counter of wrong guesses has more guesses.
///
/// ```swift
/// struct PasscodeSettings: SettingsGroup {
///     static let access = SettingsAccess.owner
///     @Setting(in: 0...20) var attemptCount = 0
/// }
/// ```
public enum SettingsAccess: String, Sendable, Hashable, CaseIterable {
    /// Whoever has the store.
    case open
    /// Only code that has the group.
    ///
    /// The setters, `update`, `commit` and the `reset` of the group itself and of its settings work as ever, since who has the
    /// group is the owner. From the first time that the group is opened until the store closes, also while nobody uses it:
    ///
    /// - ``SettingsStore/reset(by:)`` and the `reset` of a group around it leave its settings as they are;
    /// - a write or a removal by key, of its settings' keys and of those around or within them, throws a ``SettingsError`` with
    ///   ``SettingsError/Code/protected``.
    ///
    /// This keeps settings from being written by mistake or by somebody who may only use what an app offers by key. It is no wall
    /// within a process, where any code may declare a group with the same keys, and none around the file: other processes and
    /// people with an editor write what they like, and it comes in as an external change. It keeps nobody from reading.
    case owner
}

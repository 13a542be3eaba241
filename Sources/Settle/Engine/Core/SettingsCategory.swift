/// Whether the settings of a group are for people, or only what the program remembers.
///
/// People read and edit the file of their settings, and keep it in version control. What changes by itself does not
/// belong there: counters, dates, the place of a window.
///
/// ```swift
/// struct WindowState: SettingsGroup {
///     static let category = SettingsCategory.state
///     @Setting var width = 800
///     @Setting var lastSeen: Date?
/// }
/// ```
///
/// State is saved in the same transactions as everything else. A store with a file has it in another file, such as
/// `settings.state.json` beside `settings.json`; the file of settings has none of it. Other storages keep everything in
/// one place.
///
/// A group that becomes state, or is none any more, needs no migration: its values go from one file to the other when
/// the store saves next.
public enum SettingsCategory: String, Sendable, Hashable, Codable, CaseIterable {
    /// What people choose.
    case configuration
    /// What the program remembers. All groups within the group are state too.
    case state
}

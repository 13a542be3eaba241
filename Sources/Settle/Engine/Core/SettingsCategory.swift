/// Whether the settings of a group are for people, or state that the program only remembers.
///
/// People read and edit the file of their settings, and keep it in version control. Values that change by themselves do
/// not belong there: counters, dates, the position of a window.
///
/// ```swift
/// struct WindowState: SettingsGroup {
///     static let category = SettingsCategory.state
///     @Setting var width = 800
///     @Setting var lastSeen: Date?
/// }
/// ```
///
/// State is saved in the same transactions as everything else. A store with a file writes it to another file, such as
/// `settings.state.json` beside `settings.json`; the settings file has none of it. Other storages keep everything
/// together.
///
/// A group that becomes state, or no longer is, needs no migration: its values move from one file to the other when the
/// store saves next.
public enum SettingsCategory: String, Sendable, Hashable, Codable, CaseIterable {
    /// Settings that people choose.
    case configuration
    /// State that the program remembers. All groups within the group are state too.
    case state
}

/// A named step that changes stored values when a store is opened: a new name, another type, another shape.
///
/// ```swift
/// let migrations: [SettingsMigration] = [
///     .rename("theme", to: "look.theme"),
///     .convert("timeout", from: Int.self, to: Double.self) { Double($0) / 1000 },
/// ]
/// let store = try await SettingsStore.open("com.example.app", migrations: migrations)
/// ```
///
/// A step is known by its name: a storage records the names of those that it has seen, and each is made once. So a step
/// of a program that has been shipped keeps its name and its place, and new ones are added at the end. What a step
/// finds nothing to do for, it leaves alone. See <doc:Migrations>.
public struct SettingsMigration: Sendable {
    /// What the storage records.
    public let name: String
    let change: @Sendable (inout SettingTree) throws -> Void
    /// Where values that stood at a key or within it stand now.
    let renamed: (from: SettingKey, to: SettingKey)?

    /// A step that may do anything to the values of the application's domain.
    ///
    /// - Parameters:
    ///   - name: The name of the step. No other step of the list may have it.
    ///   - change: Changes the values. Must do the same each time for the same values: where others were faster, it
    ///     runs again. What it throws fails the migration; ``SettingTree/value(_:forKey:)`` names the key.
    public init(_ name: String, _ change: @escaping @Sendable (inout SettingTree) throws -> Void) {
        self.init(name, renamed: nil, change)
    }

    init(
        _ name: String, renamed: (from: SettingKey, to: SettingKey)?,
        _ change: @escaping @Sendable (inout SettingTree) throws -> Void
    ) {
        self.name = name
        self.renamed = renamed
        self.change = change
    }
}

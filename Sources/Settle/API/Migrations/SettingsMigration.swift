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
/// A step is identified by its name: a storage records the names of the steps that it has seen, and each runs once. So
/// a step of a program that has been shipped keeps its name and its position, and new steps are added at the end. A
/// step that finds nothing to do leaves the values alone. See <doc:Migrations>.
public struct SettingsMigration: Sendable {
    /// The name that the storage records.
    public let name: String
    let change: @Sendable (inout SettingTree) throws -> Void
    /// The old and the new key of the values that the step moves, at the key or within it.
    let renamed: (from: SettingKey, to: SettingKey)?

    /// Creates a step that may do anything to the values of the application's domain.
    ///
    /// - Parameters:
    ///   - name: The name of the step. No other step of the list may have it.
    ///   - change: Changes the values. It must do the same each time for the same values: if others were faster, it
    ///     runs again. An error that it throws fails the migration; ``SettingTree/value(_:forKey:)`` names the key.
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

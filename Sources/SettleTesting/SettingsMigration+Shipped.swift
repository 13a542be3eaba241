public import Settle

extension SettingsMigration {
    /// Checks that a list still begins with the shipped steps, under their names and in their order.
    ///
    /// A program that has lost or renamed one of them does not open its users' settings. Keep the names of each release
    /// in a test:
    ///
    /// ```swift
    /// @Test func `shipped steps stay`() throws {
    ///     try SettingsMigration.checkShipped(["rename theme to look.theme", "convert timeout"], in: migrations)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - names: The value of `list.map(\.name)` when the program was last shipped.
    ///   - list: The program's list.
    /// - Throws: `SettingsError` that names the first step that differs.
    public static func checkShipped(_ names: [String], in list: [SettingsMigration]) throws {
        for (index, name) in names.enumerated() {
            let step = index < list.count ? list[index].name : nil
            guard step != name else { continue }
            throw SettingsError(
                .migrationFailed,
                "Step \(index + 1) was shipped as “\(name)”, and the list has \(step.map { "“\($0)”" } ?? "none") there. Keep "
                    + "shipped steps as they are, and add new ones at the end.")
        }
    }
}

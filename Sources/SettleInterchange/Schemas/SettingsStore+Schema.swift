public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsStore.File {
    /// Returns the declarations of the groups in use, as data: keys, types, defaults, rules and texts.
    ///
    /// Open all groups first: a store knows only their declarations.
    public func schema() -> SettingsSchema {
        SettingsSchema(store.settings)
    }

    /// Writes the JSON Schema of ``schema()`` beside the settings file, for editors and tools that don't know the
    /// program: `settings.schema.json` beside `settings.json`, `settings.plist.schema.json` beside `settings.plist`.
    ///
    /// Readers see either the old or the new schema, never a part. An unchanged schema is not written again. Secrets'
    /// defaults are not in it. Nothing removes it.
    ///
    /// - Returns: The schema's file.
    /// - Throws: ``SettingsError`` if the settings are not in a file, if the schema can't be written, or if the store
    ///   is closed.
    @discardableResult
    public func writeSchema() async throws -> URL {
        URL(filePath: try await writeSchema(try schema().spelled()).text)
    }
}

extension SettingsStore.Configuration {
    /// Whether the store keeps the JSON Schema of its groups beside its file, as ``SettingsStore/File/writeSchema()``
    /// writes it, and begins a new JSON file with its location. Default `false`.
    ///
    /// ```json
    /// {
    ///   "$schema": "./settings.schema.json",
    /// ```
    ///
    /// An editor that supports JSON Schema then completes keys and marks mistakes in the file. The schema is written
    /// 250 ms after a group was opened, and when the store closes, if it differs from the existing one; a failure is
    /// reported on `store.issues`. So open the groups together: a program that opens some of them much later writes the
    /// schema twice at each start. Existing files get no `"$schema"`: their contents are the user's. Nothing is written
    /// for a store that is not in a file.
    public var writesSchema: Bool {
        get { schemaEncoder != nil }
        set { schemaEncoder = newValue ? SettingsSchema.encoder : nil }
    }
}

extension SettingsSchema {
    fileprivate static let encoder: SettingsStore.Configuration.SchemaEncoder = { settings throws(SettingsError) in
        try SettingsSchema(settings).spelled()
    }

    /// Returns the JSON Schema formatted for reading.
    fileprivate func spelled() throws(SettingsError) -> [UInt8] {
        guard case .dictionary(let root) = jsonSchema else { return [] }
        do {
            return try JSONFormat().encode(SettingTree(root))
        } catch {
            throw SettingsError(.encodingFailed, "The schema can't be written: \(error)", underlying: error)
        }
    }
}

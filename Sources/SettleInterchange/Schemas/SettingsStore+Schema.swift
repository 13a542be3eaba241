public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsStore.File {
    /// What the groups in use declare, as data: keys, types, defaults, rules and words.
    ///
    /// Open all groups first: a store knows only what they declare.
    public func schema() -> SettingsSchema {
        SettingsSchema(settings: store.settings.map(SettingsSchema.Entry.init))
    }

    /// Writes the JSON Schema of ``schema()`` beside the settings file, for editors and tools that don't know the
    /// program: `settings.schema.json` beside `settings.json`, `settings.plist.schema.json` beside `settings.plist`.
    ///
    /// Readers see the old schema or the new one, never a part. A schema that has not changed is not written again.
    /// Secrets' defaults are not in it. Nothing removes it.
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
    /// An editor that knows JSON Schema then completes keys and marks mistakes in the file. The schema is written 250
    /// ms after a group was opened, and when the store closes, if it differs from what is there; a failure is reported
    /// on `store.issues`. So open the groups together: a program that opens some of them much later writes the schema
    /// twice at each start. Files that exist get no `"$schema"`: what stands there is the user's. Nothing is written
    /// for a store that is not in a file.
    public var writesSchema: Bool {
        get { schemaEncoder != nil }
        set { schemaEncoder = newValue ? SettingsSchema.encoder : nil }
    }
}

extension SettingsSchema {
    fileprivate static let encoder: SettingsStore.Configuration.SchemaEncoder = { settings throws(SettingsError) in
        try SettingsSchema(settings: settings.map(Entry.init)).spelled()
    }

    /// The JSON Schema as people read it.
    fileprivate func spelled() throws(SettingsError) -> [UInt8] {
        guard case .dictionary(let root) = jsonSchema else { return [] }
        do {
            return try JSONFormat().encode(SettingTree(root))
        } catch {
            throw SettingsError(.encodingFailed, "The schema can't be written: \(error)", underlying: error)
        }
    }
}

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
    /// - Throws: ``SettingsError`` if the settings are not in a file, if the schema can't be written, or if the store is
    ///   closed.
    @discardableResult
    public func writeSchema() async throws -> URL {
        URL(filePath: try await writeSchema(try schema().spelled()).text)
    }
}

extension SettingsSchema {
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

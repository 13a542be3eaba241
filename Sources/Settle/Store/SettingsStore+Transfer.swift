#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Export and import of a whole store.
extension SettingsStore {
    /// What happens to values in the store that are missing from the imported data.
    public enum ImportMode: Sendable, Hashable {
        /// They stay.
        case merge
        /// Settings return to their defaults, and keys that no group declares are removed. Secrets and the settings of
        /// owner's groups stay, because an export leaves them out.
        case replace
    }

    /// What happens to keys in the data that no group has declared.
    public enum UnknownKeys: Sendable, Hashable {
        /// They are imported as they are, for a group that is opened later.
        case keep
        /// Nothing is imported.
        case refuse
    }

    /// Everything that is stored or waits to be saved, as of one moment and as a file would have it: including keys
    /// that no group declares, but not settings that have their default only because nothing is stored.
    ///
    /// Left out are the settings of groups that are their owner's (``SettingsAccess/owner``), which no import accepts,
    /// and secrets, unless asked for. A store knows a secret by its declaration: **open all groups first**. What is
    /// stored for a group that has not been opened yet is exported as it is.
    ///
    /// - Parameters:
    ///   - format: How the data is spelled.
    ///   - includesSecrets: Whether to include secrets, in clear text.
    /// - Throws: ``SettingsError`` if a value can't be encoded or the format can't hold one, or if the store is closed.
    public func export(as format: FileFormat = .json, includingSecrets includesSecrets: Bool = false) async throws
        -> Data
    {
        Data(try await open().export(as: format, includingSecrets: includesSecrets))
    }

    /// Imports data written by ``export(as:includingSecrets:)``, or by hand, in one transaction.
    ///
    /// Each value is checked as if read from a file: it must convert to the setting's type and follow its rules. Either
    /// everything is imported or nothing. Settings of groups that are their owner's can't be imported: data that
    /// contains one is refused, whatever the value. As after `update`, the change is saved a moment later;
    /// ``flush(toFile:)`` waits for that.
    ///
    /// ```swift
    /// let backup = try await store.export()
    /// try store.import(backup, .replace, unknownKeys: .refuse)
    /// ```
    ///
    /// - Parameters:
    ///   - data: The values, nested as in a file.
    ///   - format: How the data is spelled. By default detected from its beginning.
    ///   - mode: What happens to values that are missing from the data.
    ///   - unknownKeys: What happens to keys in the data that no group has declared since the store was opened.
    ///   - author: The name for ``Change/author``.
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/importRefused`` if the data can't be read, or if a value
    ///   or a key is refused: ``SettingsError/problems`` has an error for each such key. Nothing has changed then. And
    ///   ``SettingsError`` if the store is closed.
    public func `import`(
        _ data: Data, as format: FileFormat? = nil, _ mode: ImportMode = .merge, unknownKeys: UnknownKeys = .keep,
        by author: String? = nil
    ) throws {
        try open().import([UInt8](data), as: format, mode, unknownKeys: unknownKeys, by: author)
    }
}

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsStore {
    /// Opens the store of an app in the platform's place for it.
    ///
    /// Linux: `$XDG_CONFIG_HOME/<name>/settings.json`, else `~/.config/<name>/settings.json`. Apple platforms:
    /// `~/Library/Application Support/<name>/settings.json`. Opening it again gives a handle on the same store, as
    /// ``open(at:format:configuration:)`` does.
    ///
    /// - Parameters:
    ///   - name: The name of a folder, such as `com.example.app`.
    ///   - configuration: How the store behaves.
    /// - Throws: ``SettingsError`` if the name can't be that of a folder, or what is stored can't be read.
    public static func open(
        _ name: String, configuration: Configuration = Configuration()
    ) async throws -> SettingsStore {
        let file: URL
        do {
            file = try StandardLocation().file(forStore: name)
        } catch {
            throw SettingsError(.invalidName, "\(error)", underlying: error)
        }
        return try await open(at: file, configuration: configuration)
    }

    /// Opens the store in a file, which need not exist yet.
    ///
    /// A file that is open in this process already gives a handle on the same store; its configuration stays as it is.
    ///
    /// - Parameters:
    ///   - file: The file. It and its folders may be missing.
    ///   - format: How the file is spelled. By default as it is already; a new file is an XML property list if its name ends
    ///     in `.plist`, and JSON otherwise.
    ///   - configuration: How the store behaves.
    /// - Throws: ``SettingsError`` if the file is there and can't be read. Nothing is written over it then. A file that can
    ///   be read but not understood is put aside; see ``SettingsStore/issues``.
    public static func open(
        at file: URL, format: FileFormat? = nil, configuration: Configuration = Configuration()
    ) async throws -> SettingsStore {
        // One that is just being closed has to be done with the file first. If that fails it is open again, and found below.
        try? await OpenFiles.shared.closedStore(at: file)?.close()
        return try OpenFiles.shared.store(at: file) {
            try StoreCore.load(FileStorage(at: file, format: format), configuration: configuration)
        }
    }
}

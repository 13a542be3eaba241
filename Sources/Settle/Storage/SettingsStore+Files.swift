#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsStore {
    /// Opens the store of an app in the platform's place for it.
    ///
    /// Linux: `$XDG_CONFIG_HOME/<name>/settings.json`, else `~/.config/<name>/settings.json`. Apple platforms:
    /// `~/Library/Application Support/<name>/settings.json`. Opening it again gives the same store, as
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
    /// A file that is open in this process already gives the same store; its configuration stays as it is.
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
            try make(storage: FileStorage(at: file, format: format), configuration: configuration)
        }
    }
}

/// The stores that are open on files, so that one file has one store in a process.
private final class OpenFiles: @unchecked Sendable {
    // Sendable: `stores` is guarded by `lock`.
    static let shared = OpenFiles()
    private let lock = Lock()
    private var stores: [String: WeakStore] = [:]

    private struct WeakStore {
        weak var store: SettingsStore?
    }

    func store(at file: URL, orOpen open: () throws -> SettingsStore) throws -> SettingsStore {
        try lock.withLock {
            // Different spellings of one file, and links to it, are one file.
            let path = Self.canonicalPath(of: file)
            if let store = stores[path]?.store, !store.isClosed { return store }
            stores = stores.filter { $0.value.store != nil }
            let store = try open()
            stores[path] = WeakStore(store: store)
            return store
        }
    }

    func closedStore(at file: URL) -> SettingsStore? {
        let store = lock.withLock { stores[Self.canonicalPath(of: file)]?.store }
        return store.flatMap { $0.isClosed ? $0 : nil }
    }

    private static func canonicalPath(of file: URL) -> String {
        let path = FilePath(file.absoluteURL.standardizedFileURL.path)
        // The file need not exist yet, so Foundation can't resolve the whole path.
        let real = (try? FileOperations(POSIXSystemCalls()).followLinks(path)) ?? path
        let folder = URL(filePath: real.folder.text).resolvingSymlinksInPath()
        return folder.appending(path: real.name).path
    }
}

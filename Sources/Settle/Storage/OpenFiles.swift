#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The stores that are open on files, so that one file has one store in a process.
final class OpenFiles: @unchecked Sendable {
    // Sendable: `stores` is guarded by `lock`.
    static let shared = OpenFiles()
    private let lock = Lock()
    private var stores: [String: WeakCore] = [:]

    private struct WeakCore {
        weak var core: StoreCore?
    }

    /// A handle on the store that is open on a file, or on one that is opened for it.
    func store(at file: URL, orOpen open: () throws -> StoreCore) throws -> SettingsStore {
        try lock.withLock {
            // Different spellings of one file, and links to it, are one file.
            let path = Self.canonicalPath(of: file)
            if let core = stores[path]?.core, let store = SettingsStore(joining: core) { return store }
            stores = stores.filter { $0.value.core != nil }
            let core = try open()
            stores[path] = WeakCore(core: core)
            guard let store = SettingsStore(joining: core) else { throw SettingsError.closed(key: nil) }
            return store
        }
    }

    func closedStore(at file: URL) -> StoreCore? {
        let core = lock.withLock { stores[Self.canonicalPath(of: file)]?.core }
        return core.flatMap { $0.isClosed ? $0 : nil }
    }

    private static func canonicalPath(of file: URL) -> String {
        let path = FilePath(file.absoluteURL.standardizedFileURL.path)
        // The file need not exist yet, so Foundation can't resolve the whole path.
        let real = (try? FileOperations(POSIXSystemCalls()).followLinks(path)) ?? path
        let folder = URL(filePath: real.folder.text).resolvingSymlinksInPath()
        return folder.appending(path: real.name).path
    }
}

import Settle
import Synchronization

/// Values from a server, which is queried again whenever it announces new ones.
final class RemoteSwitches: DomainSource {
    private let fetch: @Sendable () async throws -> [String: String]
    private let changed = Mutex<(@Sendable () -> Void)?>(nil)

    init(fetch: @escaping @Sendable () async throws -> [String: String]) { self.fetch = fetch }

    func load() async throws(StorageError) -> DomainContents {
        do {
            var tree = SettingTree()
            for (key, text) in try await fetch() { tree[key] = .string(text) }
            return DomainContents(tree, isText: true)
        } catch {
            throw StorageError(.unavailable, "The switches could not be fetched: \(error)")
        }
    }

    /// Called when the server announces new values.
    func serverHasNews() { changed.withLock { $0 }?() }

    func watch(_ changed: @escaping @Sendable () -> Void) {
        self.changed.withLock { $0 = changed }
        // The server's values may have changed since the first load.
        changed()
    }

    func place(of key: SettingKey) -> String { "the server's switch “\(key)”" }

    func close() async { changed.withLock { $0 = nil } }
}

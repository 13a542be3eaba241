import Settle

/// The settings under a prefix, as a domain of a store that keeps its own settings elsewhere. It writes nothing.
final class EtcdDomainSource: DomainSource {
    private struct State {
        var origins = EtcdOrigins()
        /// The issues that the storage has reported since the last load.
        var issues: [String] = []
        /// `nil` before ``watch(_:)``, and once the source is closed.
        var changed: (@Sendable () -> Void)?
        var retry: Task<Void, Never>?
        /// How many loads in a row have failed.
        var failures = 0
    }

    private let storage: EtcdStorage
    private let state = LockedValue(State())

    init(_ storage: EtcdStorage) { self.storage = storage }

    /// Under which the settings are.
    var prefix: String { storage.space.prefix }

    /// Without the domain, values of the domains below it would be in force.
    var isRequired: Bool { true }

    func load() async throws(StorageError) -> DomainContents {
        do throws(StorageError) {
            var (contents, origins) = try await storage.domainContents()
            state.withLock { state in
                contents.problems += state.issues
                state.retry?.cancel()
                (state.origins, state.issues, state.retry, state.failures) = (origins, [], nil, 0)
            }
            return contents
        } catch {
            retryLater()
            throw error
        }
    }

    /// Has the store load again after a failed load: the storage reports changes only once, until they are fetched.
    private func retryLater() {
        state.withLock { state in
            guard let changed = state.changed else { return }
            let delays = storage.configuration.reconnectDelay
            let delay = min(delays.upperBound, delays.lowerBound * (1 << min(state.failures, 16)))
            state.failures += 1
            state.retry?.cancel()
            state.retry = Task { [time = storage.time] in
                if (try? await time.sleep(time.elapsed() + delay)) != nil { changed() }
            }
        }
    }

    func watch(_ changed: @escaping @Sendable () -> Void) {
        state.withLock { $0.changed = changed }
        storage.watch { [state] event in
            if case .issue(let error) = event { state.withLock { $0.issues.append("\(error)") } }
            // Without a connection the load fails, and its error says why.
            changed()
        }
    }

    func place(of key: SettingKey) -> String {
        let origin = state.withLock { $0.origins[key] }
        return "“\(storage.space.prefix)\(key)”\(origin.map { ", \($0)" } ?? "")"
    }

    func close() async {
        state.withLock { state in
            state.changed = nil
            state.retry?.cancel()
        }
        await storage.close()
    }
}

extension EtcdStorage {
    /// Brings the settings up to date, for a store of which they are one domain.
    func domainContents() async throws(StorageError) -> (DomainContents, EtcdOrigins) {
        var problems: [String] = []
        if phase == .unread {
            let contents = try await load()
            if isStale, case .recovered(let description, _) = contents.outcome { problems = [description] }
        } else {
            _ = try await changes(after: view.position)
        }
        let mirror = view.mirror
        problems += mirror.unusable.filter { $0.key.isSetting }.sorted { $0.key < $1.key }.map { name, reason in
            "“\(space.prefix)\(name.text)” can't be used: \(reason)."
        }
        var contents = DomainContents(mirror.tree, problems: problems)
        // The tree may have later transactions, which the stream has brought meanwhile.
        contents.token = view.recent.end
        return (contents, EtcdOrigins(of: view))
    }
}

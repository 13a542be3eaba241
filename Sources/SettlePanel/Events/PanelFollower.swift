import Settle
import Synchronization

/// Follows a store for one page.
///
/// The store's stream tells what is in force, of all domains. It leaves out what others do with keys that no group declares,
/// so these are followed one by one. What has changed is kept as a set of keys until the page's connection asks.
final class PanelFollower: Sendable {
    /// What has happened since the last time that somebody asked.
    struct News: Sendable {
        var keys: Set<SettingKey> = []
        /// What may have changed before anybody looked.
        var suspects: Set<SettingKey> = []
        /// Whether anything may have changed.
        var isEverything = false
        /// Whether it is the first of the stream.
        var isBeginning = false
    }

    private let store: SettingsStore
    private let undeclared: [SettingKey]
    private let heartbeat: Duration
    /// How long it follows; `nil` without an end.
    private let lifetime: Duration?
    private let sleep: @Sendable (Duration) async throws -> Void
    private let news = Mutex(News(isBeginning: true))

    /// More keys than these are told as everything.
    private static let limit = 1000

    /// - Parameter undeclared: The keys of the panel that no group declares.
    init(
        _ store: SettingsStore, undeclared: [SettingKey], heartbeat: Duration, lifetime: Duration?,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.store, self.heartbeat, self.lifetime, self.sleep) = (store, heartbeat, lifetime, sleep)
        self.undeclared = Array(undeclared.prefix(Self.limit))
    }

    /// Begins to follow. The stream has an element whenever there are news, and for each heartbeat.
    func begin() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        // Before the first element, so that nothing gets between what it tells and what follows.
        let changes = store.changes
        var tasks = undeclared.map { key in
            let values = store.values(forKey: key, as: SettingValue.self)
            return Task {
                var isFirst = true
                for await _ in values {
                    if isFirst { suspect(key) } else { add(key) }
                    isFirst = false
                    continuation.yield()
                }
            }
        }
        tasks += [
            Task {
                for await change in changes {
                    add(change)
                    continuation.yield()
                }
                continuation.finish()
            },
            Task {
                while (try? await sleep(heartbeat)) != nil { continuation.yield() }
            },
        ]
        if let lifetime {
            tasks.append(
                Task {
                    if (try? await sleep(lifetime)) != nil { continuation.finish() }
                })
        }
        continuation.onTermination = { [tasks] _ in for task in tasks { task.cancel() } }
        continuation.yield()
        return stream
    }

    private func add(_ key: SettingKey) {
        news.withLock { news in
            if !news.isEverything { news.keys.insert(key) }
        }
    }

    /// The first value that a follower has is the one that there was already, or a newer one.
    private func suspect(_ key: SettingKey) {
        news.withLock { news in
            if !news.isEverything { news.suspects.insert(key) }
        }
    }

    private func add(_ change: Change) {
        news.withLock { news in
            if change.missed > 0 || change.snapshot != nil { news.isEverything = true }
            guard !news.isEverything else { return (news.keys, news.suspects) = ([], []) }
            for mutation in change.mutations { news.keys.insert(SettingKey(stored: mutation.key)) }
            if news.keys.count > Self.limit { (news.keys, news.isEverything) = ([], true) }
        }
    }

    /// What is to be told; it counts as told.
    func takeNews() -> News {
        news.withLock { news in
            defer { news = News() }
            return news
        }
    }
}

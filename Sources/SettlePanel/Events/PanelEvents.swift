import Settle
import Synchronization

/// Server-sent events: pieces of a body, to be sent as they come.
///
/// They end when the store closes, when the browser's session ends, or when the task that reads them is cancelled, as a
/// server does when the browser has gone. What a slow browser has not read does not pile up: changes that wait are told as
/// one.
public struct PanelEvents: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = Never

    private let follower: PanelFollower
    private let render: @Sendable (PanelFollower.News) -> [UInt8]

    init(_ follower: PanelFollower, render: @escaping @Sendable (PanelFollower.News) -> [UInt8]) {
        (self.follower, self.render) = (follower, render)
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(news: follower.begin().makeAsyncIterator(), follower: follower, render: render)
    }

    /// One loop's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var news: AsyncStream<Void>.Iterator
        fileprivate let follower: PanelFollower
        fileprivate let render: @Sendable (PanelFollower.News) -> [UInt8]

        public mutating func next() async -> [UInt8]? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]? {
            guard await news.next(isolation: actor) != nil else { return nil }
            return render(follower.takeNews())
        }
    }
}

/// Follows a store for one page.
///
/// The store's stream tells what is in force, of all domains. It leaves out what others do with keys that no group declares,
/// so these are followed one by one. A page may be older than its connection, so the first news are that anything may have
/// changed. What has changed since is kept as a set of keys until the page's connection asks.
final class PanelFollower: Sendable {
    /// What has happened since the last time that somebody asked.
    struct News: Sendable {
        var keys: Set<SettingKey> = []
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
    private let news = Mutex(News(isEverything: true, isBeginning: true))

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
                for await _ in values {
                    add(key)
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

    private func add(_ change: Change) {
        news.withLock { news in
            if change.missed > 0 || change.snapshot != nil { news.isEverything = true }
            guard !news.isEverything else { return news.keys = [] }
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

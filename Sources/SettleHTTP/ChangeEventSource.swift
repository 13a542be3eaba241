import Settle

/// The events of one loop over a stream of changes.
struct ChangeEventSource: WebEventSource {
    private let entry: StreamHub.Entry
    private let counts: RequestCounts
    /// Whether the client's token still admits it.
    private let isAdmitted: @Sendable () -> Bool
    private var watch: ContentWatch
    private var inForce: Changes.Iterator
    private let feed: ChangeFeed
    private var narrator: StreamNarrator
    private var beats: UInt64
    private var hasBegun = false

    init(
        _ entry: StreamHub.Entry, of parts: APIParts, for client: APIClient, from start: StreamStart,
        isAdmitted: @escaping @Sendable () -> Bool
    ) {
        (self.entry, counts, self.isAdmitted) = (entry, parts.counts, isAdmitted)
        let store = parts.store
        // The store is followed before it is read, so that nothing falls in between.
        let watch = ContentWatch(store)
        self.watch = watch
        inForce = store.changes.makeAsyncIterator()
        feed = ChangeFeed(store.history.changes(after: start.token), waking: watch)
        narrator = StreamNarrator(store, for: client, from: start)
        entry.begin(waking: watch)
        beats = entry.beats
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]? {
        entry.resume()
        var isClosed = false
        while !Task.isCancelled {
            // Replacing a token is itself a change. Its holder must not see that, nor what follows.
            guard !entry.isEnded, isAdmitted() else { return nil }
            guard let text = waitingText() else {
                if feed.isFinished { return nil }
                if !isClosed {
                    isClosed = await watch.next(isolation: actor) == .finished
                } else if await !feed.hasMore() {
                    // The store has closed, and everything in its history was delivered.
                    return nil
                }
                continue
            }
            guard text.isEmpty else {
                entry.give()
                return Array(text.utf8)
            }
        }
        return nil
    }

    /// Returns the events of what has happened already; `nil` for nothing.
    private mutating func waitingText() -> String? {
        guard hasBegun else {
            hasBegun = true
            return narrator.beginning()
        }
        if let change = feed.take() {
            var isLost = false
            let text = narrator.stored(change, isLost: &isLost)
            if isLost { counts.count(.lostResumption) }
            return text
        }
        if let change = inForce.popNext() { return narrator.inForce(change) }
        let now = entry.beats
        guard now != beats else { return nil }
        beats = now
        return narrator.heartbeat()
    }
}

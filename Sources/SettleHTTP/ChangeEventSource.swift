import Settle

/// The events of one loop over a stream of changes.
///
/// The store's changes, its history, heartbeats and the end all wake the task that writes the stream. It has no other
/// task, except as long as a query of the storage takes.
struct ChangeEventSource: WebEventSource {
    private let stream: ChangeEventStream
    private var watch: ContentWatch
    private var inForce: Changes.Reader
    private var history: HistoryCursor
    /// The query of the storage that the next step of the history needs.
    private var query: RunningQuery?
    private var narrator: StreamNarrator
    private var beats: UInt64
    private var hasBegun = false
    /// Whether the history has no more changes.
    private var hasEnded = false

    init(_ stream: ChangeEventStream) {
        self.stream = stream
        let store = stream.parts.store
        // The store is followed before it is read, so that nothing falls in between.
        let watch = ContentWatch(store, includingHistory: true)
        self.watch = watch
        inForce = store.changes.makeReader()
        history = store.history.cursor(after: stream.start.token)
        narrator = StreamNarrator(stream)
        stream.entry.begin(waking: watch.waiter)
        beats = stream.entry.beats
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]? {
        stream.entry.resume()
        var isClosed = false
        while !Task.isCancelled, !stream.entry.isEnded {
            let text = waitingText()
            // Replacing a token is itself a change. Its holder must not see that, nor what follows, so the token is
            // checked once the text is made: before that, it could be replaced in between.
            guard stream.isAdmitted else { return nil }
            if let text {
                guard text.isEmpty else {
                    stream.entry.give()
                    return Array(text.utf8)
                }
            } else if hasEnded {
                return nil
            } else if !isClosed {
                isClosed = await watch.next(isolation: actor) == .finished
            } else if let query {
                // The watch of a closed store does not wait.
                await query.finish()
            } else {
                // The store had closed before this look at the history, so everything was delivered.
                return nil
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
        if let change = storedChange() {
            var isLost = false
            let text = narrator.stored(change, isLost: &isLost)
            if isLost { stream.parts.counts.count(.lostResumption) }
            return text
        }
        if let change = inForce.next() { return narrator.inForce(change) }
        let now = stream.entry.beats
        guard now != beats else { return nil }
        beats = now
        return narrator.heartbeat()
    }

    /// Returns the next change of the history, if it is known already.
    private mutating func storedChange() -> Change? {
        while true {
            if let query {
                guard let answer = query.result else { return nil }
                self.query = nil
                if let change = history.accept(answer) { return change }
            }
            switch history.step() {
            case .change(let change): return change
            case .query(let next): query = RunningQuery(next, waking: watch)
            case .wait: return nil
            case .finish:
                hasEnded = true
                return nil
            }
        }
    }
}

/// An iterator that returns the newest element on each call, and can also be polled without waiting.
protocol LatestIterator<Element>: AsyncIteratorProtocol, SendableMetatype where Element: Sendable, Failure == Never {
    /// Returns the newest element, if there is one after `element`; otherwise `element`.
    mutating func newest(insteadOf element: Element) -> Element
}

extension LatestIterator {
    /// Runs a body for one element after the other, and cancels it when a newer element arrives.
    ///
    /// Each element has two child tasks: the body, and a follower that waits for the next element. So an element that
    /// arrives while the body runs is noticed immediately, and nothing outlives the call.
    consuming func forEachLatest<BodyFailure: Error>(
        _ body: @escaping @Sendable (Element) async throws(BodyFailure) -> Void
    ) async throws(BodyFailure) {
        let follower = LatestFollower(following: consume self)
        defer { follower.end() }
        var upcoming = await follower.next()
        while let element = upcoming, !Task.isCancelled {
            upcoming = try await follower.run(body, for: element)
        }
    }
}

/// The sole owner of the iterator that `forEachLatest` follows. A child task that has ended may be released later: it
/// holds this object, and so keeps no subscriber.
private final class LatestFollower<Iterator: LatestIterator>: @unchecked Sendable {
    // Sendable: until it has ended, only the child task that follows uses the iterator; its parent uses it only before
    // and after that.
    private var iterator: Iterator?

    init(following iterator: consuming Iterator) {
        self.iterator = iterator
    }

    func next() async -> Iterator.Element? {
        await iterator?.next(isolation: nil)
    }

    func end() {
        iterator = nil
    }

    /// - Returns: The element to run the body for next; `nil` if there is none.
    func run<BodyFailure: Error>(
        _ body: @escaping @Sendable (Iterator.Element) async throws(BodyFailure) -> Void, for element: Iterator.Element
    ) async throws(BodyFailure) -> Iterator.Element? {
        let outcome = await withTaskGroup(of: LatestEvent<Iterator.Element, BodyFailure>.self) { group in
            group.addTask {
                do throws(BodyFailure) {
                    try await body(element)
                    return .ended(nil)
                } catch {
                    return .ended(error)
                }
            }
            group.addTask { .followed(await self.next()) }
            return await Self.supervise(&group)
        }
        // Newer elements may have arrived while the body was ending.
        guard let next = try outcome.get() else { return nil }
        return iterator?.newest(insteadOf: next)
    }

    private static func supervise<BodyFailure: Error>(
        _ group: inout TaskGroup<LatestEvent<Iterator.Element, BodyFailure>>
    ) async -> Result<Iterator.Element?, BodyFailure> {
        var next: Iterator.Element?
        var isRunning = true
        var isSuperseded = false
        while let event = await group.next() {
            switch event {
            case .ended(let error):
                isRunning = false
                if let error, !(error is CancellationError && (isSuperseded || Task.isCancelled)) {
                    // End the follower too, before the error leaves the group.
                    group.cancelAll()
                    return .failure(error)
                }
            case .followed(let element):
                next = element
                guard element != nil, isRunning else { continue }
                isSuperseded = true
                group.cancelAll()
            }
        }
        return .success(next)
    }
}

/// An event that a child task of `forEachLatest` reports.
private enum LatestEvent<Element: Sendable, BodyFailure: Error>: Sendable {
    case ended(BodyFailure?)
    case followed(Element?)
}

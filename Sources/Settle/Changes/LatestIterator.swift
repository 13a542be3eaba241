/// An iterator that returns the newest element on each call, and can also be asked without waiting.
protocol LatestIterator<Element>: AsyncIteratorProtocol, SendableMetatype where Element: Sendable, Failure == Never {
    /// The newest element, if there is one after `element`; otherwise `element`.
    mutating func newest(insteadOf element: Element) -> Element
}

extension LatestIterator {
    /// Runs a body for one element after the other, and cancels it when a newer element comes.
    ///
    /// Each element has two child tasks: the body, and a follower that waits for the next element. So an element that
    /// comes while the body runs is noticed immediately, and nothing outlives the call.
    consuming func forEachLatest<BodyFailure: Error>(
        _ body: @escaping @Sendable (Element) async throws(BodyFailure) -> Void
    ) async throws(BodyFailure) {
        var iterator = consume self
        var upcoming = await iterator.next(isolation: nil)
        while let element = upcoming, !Task.isCancelled {
            (iterator, upcoming) = try await iterator.run(body, for: element)
        }
    }

    /// - Returns: The iterator to continue with, and the element to run the body for next; `nil` if there is none.
    private func run<BodyFailure: Error>(
        _ body: @escaping @Sendable (Element) async throws(BodyFailure) -> Void, for element: Element
    ) async throws(BodyFailure) -> (Self, Element?) {
        let crossing = IteratorCrossing(iterator: self)
        let outcome = await withTaskGroup(of: LatestEvent<Self, BodyFailure>.self) { group in
            group.addTask {
                do throws(BodyFailure) {
                    try await body(element)
                    return .ended(nil)
                } catch {
                    return .ended(error)
                }
            }
            group.addTask {
                var iterator = crossing.iterator
                let next = await iterator.next(isolation: nil)
                return .followed(IteratorCrossing(iterator: iterator), next)
            }
            return await Self.supervise(&group, from: self)
        }
        return try outcome.get()
    }

    private static func supervise<BodyFailure: Error>(
        _ group: inout TaskGroup<LatestEvent<Self, BodyFailure>>, from start: Self
    ) async -> Result<(Self, Element?), BodyFailure> {
        var iterator = start
        var next: Element?
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
            case .followed(let crossing, let element):
                iterator = crossing.iterator
                next = element
                guard element != nil, isRunning else { continue }
                isSuperseded = true
                group.cancelAll()
            }
        }
        // Newer elements may have come while the body was ending.
        if let element = next { next = iterator.newest(insteadOf: element) }
        return .success((iterator, next))
    }
}

/// What a child task of `forEachLatest` reports.
private enum LatestEvent<Iterator: LatestIterator, BodyFailure: Error>: Sendable {
    case ended(BodyFailure?)
    case followed(IteratorCrossing<Iterator>, Iterator.Element?)
}

/// Carries an iterator to the follower's task and back.
private struct IteratorCrossing<Iterator: LatestIterator>: @unchecked Sendable {
    // Sendable: only the follower uses the iterator until it has ended; its parent touches it only after that.
    let iterator: Iterator
}

/// An iterator that gives the newest element whenever it is asked, and can also be asked without waiting.
protocol LatestIterator<Element>: AsyncIteratorProtocol, SendableMetatype where Element: Sendable, Failure == Never {
    /// The newest element, if one has come since `element` was given; `element` otherwise.
    mutating func newest(insteadOf element: Element) -> Element
}

extension LatestIterator {
    /// Runs a body for one element after the other, and gives up on a body once there is a newer element.
    ///
    /// For each element there are two child tasks: the body, and a follower that waits for the next element. So an element that
    /// comes while the body runs is noticed at once, and nothing lives longer than the call.
    consuming func forEachLatest<BodyFailure: Error>(
        _ body: @escaping @Sendable (Element) async throws(BodyFailure) -> Void
    ) async throws(BodyFailure) {
        var iterator = consume self
        var upcoming = await iterator.next(isolation: nil)
        while let element = upcoming, !Task.isCancelled {
            (iterator, upcoming) = try await iterator.run(body, for: element)
        }
    }

    /// - Returns: Where to go on, with the element for which the body is to run next; `nil` if there will be none.
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
                    // Ends the follower too, before the error leaves the group.
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
        // The body may have taken its time to end.
        if let element = next { next = iterator.newest(insteadOf: element) }
        return .success((iterator, next))
    }
}

/// What a child task of `forEachLatest` reports.
private enum LatestEvent<Iterator: LatestIterator, BodyFailure: Error>: Sendable {
    case ended(BodyFailure?)
    case followed(IteratorCrossing<Iterator>, Iterator.Element?)
}

/// Takes an iterator to the follower's task and back.
private struct IteratorCrossing<Iterator: LatestIterator>: @unchecked Sendable {
    // Sendable: only the follower has the iterator until it has ended, and its parent touches it only after that.
    let iterator: Iterator
}

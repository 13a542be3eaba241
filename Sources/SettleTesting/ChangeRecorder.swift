/// Subscribes to a sequence of values or changes and records every element.
///
/// ```swift
/// let recorder = ChangeRecorder(settings.changes)
/// settings.count += 1
/// let change = await recorder.next()
/// ```
///
/// It unsubscribes when it is cancelled or deallocated.
public final class ChangeRecorder<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        /// The number of elements that `next()` has returned.
        var given = 0
        var hasEnded = false

        var hasNext: Bool { given < elements.count }
    }

    private let state: WatchedValue<State>
    private let task: Task<Void, Never>

    /// Starts a task that iterates over a sequence and records its elements.
    public init<Source: AsyncSequence & Sendable>(_ source: Source)
    where Source.Element == Element, Source.Failure == Never {
        let state = WatchedValue(State())
        self.state = state
        task = Task.detached {
            for await element in source {
                state.update { $0.elements.append(element) }
            }
            state.update { $0.hasEnded = true }
        }
    }

    deinit {
        task.cancel()
    }

    /// All elements so far.
    public var elements: [Element] {
        state.value.elements
    }

    /// Whether the sequence has ended.
    public var hasEnded: Bool {
        state.value.hasEnded
    }

    /// Returns the next element that `next()` has not returned yet, waiting for one if necessary.
    ///
    /// - Returns: `nil` if the sequence has ended or the waiting task is cancelled.
    public func next() async -> Element? {
        while true {
            let now = await state.value { $0.hasNext || $0.hasEnded }
            // Another caller may have taken the element.
            let element: Element? = state.update { state in
                guard state.hasNext else { return nil }
                state.given += 1
                return state.elements[state.given - 1]
            }
            if element != nil || now.hasEnded || Task.isCancelled { return element }
        }
    }

    /// Waits until the elements so far meet a condition.
    ///
    /// - Returns: The elements so far; if the sequence ends or the waiting task is cancelled first, those until then.
    @discardableResult
    public func until(_ condition: @escaping @Sendable ([Element]) -> Bool) async -> [Element] {
        await state.value { condition($0.elements) || $0.hasEnded }.elements
    }

    /// Waits for the end of the sequence.
    ///
    /// - Returns: All elements.
    @discardableResult
    public func untilEnd() async -> [Element] {
        await state.value { $0.hasEnded }.elements
    }

    /// Unsubscribes. The sequence ends for this recorder.
    public func cancel() {
        task.cancel()
    }
}

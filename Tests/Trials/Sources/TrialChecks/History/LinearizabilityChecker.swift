/// Searches for an order of operations that explains all their answers.
///
/// A history is linearizable if every operation can be given a moment between its call and its answer such that, in the
/// order of these moments, each operation finds what the previous ones left. The search is that of Wing and Gong: next
/// comes any operation that was called before all remaining ones have answered; it backtracks where nothing fits. A
/// combination of finished operations and the value they left is never tried twice.
///
/// Operations without an answer may have taken effect or not. Those that do the same are interchangeable once they have
/// been called, so the search tries the one that was called first, and remembers only how many have taken effect.
public struct LinearizabilityChecker: Sendable {
    private let history: [RecordedOperation]
    private let initialValue: Int

    /// - Parameters:
    ///   - history: The operations on one register, in any order.
    ///   - initialValue: The register's value before the first of them.
    public init(_ history: [RecordedOperation], initialValue: Int = 0) {
        self.history = history.sorted { $0.called < $1.called }
        self.initialValue = initialValue
    }

    private struct Position: Hashable {
        var done: Done
        /// How many of the operations without an answer have taken effect, for each kind.
        var effects: [Int]
        var value: Int
    }

    /// The finished operations: all before an index, and some after it. Few run at a time, so this stays small however
    /// long the history is.
    private struct Done: Hashable {
        var firstOpen = 0
        var later: Set<Int> = []

        func contains(_ index: Int) -> Bool { index < firstOpen || later.contains(index) }

        mutating func insert(_ index: Int) {
            later.insert(index)
            while later.remove(firstOpen) != nil { firstOpen += 1 }
        }
    }

    /// Operations without an answer that do the same, by the times of their calls.
    private struct Unanswered {
        var operation: RegisterOperation
        var calls: [UInt64]
    }

    public var isLinearizable: Bool {
        let answered = history.filter { $0.answer != nil }
        let unanswered = Dictionary(grouping: history.filter { $0.answer == nil }, by: \.operation)
            .map { Unanswered(operation: $0, calls: $1.map(\.called)) }
        var open = [Position(done: Done(), effects: unanswered.map { _ in 0 }, value: initialValue)]
        var seen = Set(open)
        while let position = open.popLast() {
            let (candidates, earliestAnswer) = Self.candidates(in: answered, after: position.done)
            // Operations without an answer need not have happened.
            guard !candidates.isEmpty else { return true }
            for (kind, group) in unanswered.enumerated() {
                let count = position.effects[kind]
                guard count < group.calls.count, group.calls[count] <= earliestAnswer else { continue }
                var next = position
                next.value = group.operation.applied(to: position.value).value
                // One that changes nothing can as well come later.
                guard next.value != position.value else { continue }
                next.effects[kind] += 1
                if seen.insert(next).inserted { open.append(next) }
            }
            // The earliest call goes in last and is tried first: it is usually the right one.
            for index in candidates.reversed() {
                let (value, answer) = answered[index].operation.applied(to: position.value)
                guard answered[index].answer?.value == answer else { continue }
                var next = position
                next.value = value
                next.done.insert(index)
                if seen.insert(next).inserted { open.append(next) }
            }
        }
        return false
    }

    /// The first answer that the calls before it can't explain; `nil` if all can be explained.
    public var firstWithoutExplanation: RecordedOperation? {
        let answered = history.filter { $0.answer != nil }.sorted { Self.end(of: $0) < Self.end(of: $1) }
        guard !isLinearizable else { return nil }
        // If a history up to some moment is explained, so is every shorter one.
        var explained = 0
        var wrong = answered.count
        while wrong - explained > 1 {
            let middle = (explained + wrong) / 2
            if upTo(Self.end(of: answered[middle - 1])).isLinearizable { explained = middle } else { wrong = middle }
        }
        return answered[wrong - 1]
    }

    /// The history as of a moment.
    private func upTo(_ moment: UInt64) -> LinearizabilityChecker {
        let seen = history.filter { $0.called <= moment }.map { operation in
            guard Self.end(of: operation) > moment else { return operation }
            return RecordedOperation(operation.operation, called: operation.called, answer: nil)
        }
        return LinearizabilityChecker(seen, initialValue: initialValue)
    }

    private static func end(of operation: RecordedOperation) -> UInt64 {
        operation.answer?.time ?? .max
    }

    /// The operations that may come next: those called before any open one has answered.
    private static func candidates(
        in answered: [RecordedOperation], after done: Done
    ) -> (indices: [Int], earliestAnswer: UInt64) {
        var result: [Int] = []
        var earliestAnswer = UInt64.max
        for index in done.firstOpen..<answered.count where !done.contains(index) {
            if answered[index].called > earliestAnswer { break }
            result.append(index)
            earliestAnswer = min(earliestAnswer, end(of: answered[index]))
        }
        return (result.filter { answered[$0].called <= earliestAnswer }, earliestAnswer)
    }
}

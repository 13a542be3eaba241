/// Searches for an order of operations that explains all their answers.
///
/// A history is linearizable if every operation can be given a moment between its call and its answer such that, in the
/// order of these moments, each operation finds what the previous ones left. The search is that of Wing and Gong: next
/// comes any operation that was called before all remaining ones have answered; it backtracks where nothing fits. A
/// combination of finished operations and the value they left is never tried twice.
public struct LinearizabilityChecker: Sendable {
    private let operations: [RecordedOperation]
    private let initialValue: Int

    /// - Parameters:
    ///   - history: The operations on one register, in any order.
    ///   - initialValue: The register's value before the first of them.
    public init(_ history: [RecordedOperation], initialValue: Int = 0) {
        operations = history.sorted { $0.called < $1.called }
        self.initialValue = initialValue
    }

    private struct Position: Hashable {
        var done: Done
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

    public var isLinearizable: Bool {
        var open = [Position(done: Done(), value: initialValue)]
        var seen = Set(open)
        while let position = open.popLast() {
            let candidates = candidates(after: position.done)
            // Operations without an answer need not have happened.
            guard candidates.contains(where: { operations[$0].answer != nil }) else { return true }
            // The earliest call goes in last and is tried first: it is usually the right one.
            for index in candidates.reversed() {
                let recorded = operations[index]
                let (value, answer) = recorded.operation.applied(to: position.value)
                if let expected = recorded.answer, expected.value != answer { continue }
                var next = Position(done: position.done, value: value)
                next.done.insert(index)
                if seen.insert(next).inserted { open.append(next) }
            }
        }
        return false
    }

    /// The first answer that the calls before it can't explain; `nil` if all can be explained.
    public var firstWithoutExplanation: RecordedOperation? {
        let answered = operations.filter { $0.answer != nil }.sorted { Self.end(of: $0) < Self.end(of: $1) }
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
        let seen = operations.filter { $0.called <= moment }.map { operation in
            guard Self.end(of: operation) > moment else { return operation }
            return RecordedOperation(operation.operation, called: operation.called, answer: nil)
        }
        return LinearizabilityChecker(seen, initialValue: initialValue)
    }

    private static func end(of operation: RecordedOperation) -> UInt64 {
        operation.answer?.time ?? .max
    }

    /// The operations that may come next: those called before any open one has answered.
    private func candidates(after done: Done) -> [Int] {
        var result: [Int] = []
        var earliestAnswer = UInt64.max
        for index in done.firstOpen..<operations.count where !done.contains(index) {
            if operations[index].called > earliestAnswer { break }
            result.append(index)
            if let answer = operations[index].answer { earliestAnswer = min(earliestAnswer, answer.time) }
        }
        return result.filter { operations[$0].called <= earliestAnswer }
    }
}

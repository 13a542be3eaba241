import Foundation
import Testing
import TrialChecks

@Suite struct LinearizabilityCheckerTests {
    private func operation(
        _ operation: RegisterOperation, _ called: UInt64, _ answered: UInt64, _ answer: Int
    ) -> RecordedOperation {
        RecordedOperation(operation, called: called, answer: .init(answer, at: answered))
    }

    private func isLinearizable(_ history: RecordedOperation...) -> Bool {
        LinearizabilityChecker(history).isLinearizable
    }

    @Test("Sequential operations are explained by their order")
    func sequential() {
        #expect(
            isLinearizable(
                operation(.read, 0, 1, 0), operation(.write(5), 2, 3, 5), operation(.increment, 4, 5, 6),
                operation(.exchange(6, 9), 6, 7, 1), operation(.exchange(6, 1), 8, 9, 0), operation(.read, 10, 11, 9)))
        #expect(isLinearizable())
    }

    @Test("A read of a value overwritten before its call has no explanation")
    func staleRead() {
        #expect(!isLinearizable(operation(.write(1), 0, 1, 1), operation(.read, 2, 3, 0)))
    }

    @Test("A read during a write may find the old or the new value")
    func overlappingRead() {
        #expect(isLinearizable(operation(.write(1), 0, 9, 1), operation(.read, 2, 3, 0)))
        #expect(isLinearizable(operation(.write(1), 0, 9, 1), operation(.read, 2, 3, 1)))
        #expect(!isLinearizable(operation(.write(1), 0, 9, 1), operation(.read, 2, 3, 2)))
    }

    @Test("After one read has found a new value, a later read can't find the old one")
    func newOldInversion() {
        #expect(
            !isLinearizable(
                operation(.write(1), 0, 9, 1), operation(.read, 1, 2, 1), operation(.read, 3, 4, 0)))
        #expect(
            isLinearizable(
                operation(.write(1), 0, 9, 1), operation(.read, 1, 4, 1), operation(.read, 2, 5, 0)))
    }

    @Test("Two increments with the same answer are a lost update")
    func lostUpdate() {
        #expect(!isLinearizable(operation(.increment, 0, 5, 1), operation(.increment, 1, 6, 1)))
        #expect(isLinearizable(operation(.increment, 0, 5, 2), operation(.increment, 1, 6, 1)))
    }

    @Test("Only one of two exchanges of the same value succeeds")
    func exchanges() {
        #expect(!isLinearizable(operation(.exchange(0, 1), 0, 5, 1), operation(.exchange(0, 2), 0, 5, 1)))
        #expect(isLinearizable(operation(.exchange(0, 1), 0, 5, 0), operation(.exchange(0, 2), 0, 5, 1)))
        // The second exchange can't fail before the first has begun.
        #expect(!isLinearizable(operation(.exchange(0, 1), 6, 8, 1), operation(.exchange(0, 2), 0, 5, 0)))
    }

    @Test("An operation without an answer may take effect at any time after its call, or never")
    func cutOperations() {
        let cut = RecordedOperation(.write(7), called: 2, answer: nil)
        #expect(isLinearizable(cut, operation(.read, 3, 4, 0), operation(.read, 5, 6, 7)))
        #expect(isLinearizable(cut, operation(.read, 3, 4, 0), operation(.read, 5, 6, 0)))
        #expect(!isLinearizable(cut, operation(.read, 0, 1, 7)))
        #expect(!isLinearizable(cut, operation(.read, 3, 4, 7), operation(.read, 5, 6, 0)))
        #expect(isLinearizable(cut))
    }

    @Test("Equal values are not taken for one another")
    func equalValues() {
        // The second 1 is not the first: between them was a 2.
        #expect(
            isLinearizable(
                operation(.replace(1), 0, 1, 0), operation(.replace(2), 2, 3, 1), operation(.replace(1), 4, 5, 2),
                operation(.replace(1), 6, 7, 1), operation(.read, 8, 9, 1)))
        #expect(
            !isLinearizable(
                operation(.replace(1), 0, 1, 0), operation(.replace(2), 2, 3, 1), operation(.replace(1), 4, 5, 1)))
    }

    @Test("Many unanswered operations with the same few values are searched in little time, however many there are")
    func equalUnanswered() {
        let count = 24
        let cut = (0..<count).map { RecordedOperation(.replace($0 % 3 + 1), called: 0, answer: nil) }
        // Each read needs one of them.
        let reads = (0..<count).map { index in
            let time = UInt64(10 * index)
            return RecordedOperation(.read, called: time + 1, answer: .init(index % 3 + 1, at: time + 2))
        }
        #expect(LinearizabilityChecker(cut + reads).isLinearizable)
        let fewer = Array(cut.dropLast()) + reads
        #expect(!LinearizabilityChecker(fewer).isLinearizable)
        // One that is called after the last read is of no use to it.
        let late = RecordedOperation(.replace(3), called: .max, answer: nil)
        #expect(!LinearizabilityChecker(fewer + [late]).isLinearizable)
    }

    @Test("A history made in a real order is explained, and with one answer changed it is not")
    func randomHistories() {
        let seed = UInt64.random(in: 0...UInt64.max)
        // Printed at once: a test that traps reports nothing.
        FileHandle.standardError.write(Data("\(#fileID): seed \(seed)\n".utf8))
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            var history = Self.history(using: &random)
            #expect(LinearizabilityChecker(history).isLinearizable, "seed \(seed)")
            let index = Int.random(in: 0..<history.count, using: &random)
            // No operation of the history can lead to this value.
            history[index].operation = .read
            history[index].answer?.value = -1
            let checker = LinearizabilityChecker(history)
            #expect(!checker.isLinearizable, "seed \(seed)")
            // Usually this operation; a later one if the changed operation had led to its answer.
            #expect(checker.firstWithoutExplanation != nil, "seed \(seed)")
        }
    }

    @Test("A history of 5,000 operations is explained")
    func long() {
        var random = SeededGenerator(seed: 1)
        #expect(LinearizabilityChecker(Self.history(count: 5_000, using: &random)).isLinearizable)
    }

    /// The operations take effect at the times 10, 20, 30, …; each call and answer lie up to 25 around that.
    private static func history(
        count: Int = 200, using random: inout SeededGenerator
    ) -> [RecordedOperation] {
        var value = 0
        return (1...count).map { index in
            let operation: RegisterOperation =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .read
                case 1: .write(index)
                case 2: .exchange(value, index)
                default: .increment
                }
            let answer: Int
            (value, answer) = operation.applied(to: value)
            let time = UInt64(index) * 10 + 100
            return RecordedOperation(
                operation, called: time - .random(in: 0...25, using: &random),
                answer: .init(answer, at: time + .random(in: 0...25, using: &random)))
        }
    }
}

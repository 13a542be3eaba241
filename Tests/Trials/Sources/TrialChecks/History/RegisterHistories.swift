/// The operations of several processes on registers, by register.
public struct RegisterHistories: Sendable {
    public private(set) var byRegister: [Int: [RecordedOperation]] = [:]

    public init() {}

    /// Adds the acknowledgements of a process: a “call” with register, time and operation, then its “answer” with value
    /// and time, or “refused” if it is known not to have happened, or neither if nobody knows.
    public mutating func add(_ lines: [Acknowledgement]) {
        var open: (register: Int, operation: RegisterOperation, time: UInt64)?
        func unanswered() -> (Int, RecordedOperation)? {
            open.map { ($0.register, RecordedOperation($0.operation, called: $0.time, answer: nil)) }
        }
        for line in lines {
            if line.word == "call", line.numbers.count == 2,
                let operation = RegisterSpelling.operation(line.text ?? "")
            {
                if let (register, operation) = unanswered() { byRegister[register, default: []].append(operation) }
                open = (line.numbers[0], operation, UInt64(line.numbers[1]))
            } else if line.word == "answer", line.numbers.count == 2, let call = open {
                add(call.operation, of: call.register, called: call.time, found: line.numbers[0], at: line.numbers[1])
                open = nil
            } else if line.word == "refused" {
                open = nil
            }
        }
        if let (register, operation) = unanswered() { byRegister[register, default: []].append(operation) }
    }

    private mutating func add(
        _ operation: RegisterOperation, of register: Int, called: UInt64, found value: Int, at time: Int
    ) {
        byRegister[register, default: []].append(
            RecordedOperation(operation, called: called, answer: .init(value, at: UInt64(time))))
    }

    /// Adds an operation that took no time.
    mutating func add(_ operation: RegisterOperation, of register: Int, found value: Int, at time: Int) {
        add(operation, of: register, called: UInt64(time), found: value, at: time)
    }

    /// Leaves out the operations without an answer whose values nobody has seen: the history without them is explained
    /// if the one with them is, and each doubles what the search has to try. Only for registers in which every written
    /// value is unique and every answer shows the value found.
    ///
    /// - Parameter repeating: The other registers.
    mutating func forgetUnseen(besides seen: Set<Int>, except repeating: Set<Int>) {
        for register in byRegister.keys where !repeating.contains(register) {
            byRegister[register]?.removeAll { operation in
                operation.answer == nil && operation.operation.written.map { !seen.contains($0) } ?? false
            }
        }
    }

    public var count: Int { byRegister.values.reduce(0) { $0 + $1.count } }

    /// A sentence for each register whose history no order explains, with the operations around the first wrong answer.
    public var unexplained: [String] {
        byRegister.sorted { $0.key < $1.key }.compactMap { register, history in
            guard let wrong = LinearizabilityChecker(history).firstWithoutExplanation else { return nil }
            let end = wrong.answer?.time ?? .max
            let around = history.filter { $0.called <= end }.sorted { $0.called < $1.called }.suffix(8)
            let start = around.first?.called ?? 0
            let words = around.map { operation in
                let answer = operation.answer.map { "= \($0.value) (–\(($0.time - start) / 1_000))" } ?? "= ?"
                let name = RegisterSpelling.text(operation.operation)
                return "\((operation.called - start) / 1_000) \(name) \(answer)"
            }
            return
                "register \(register): \(RegisterSpelling.text(wrong.operation)) = \(wrong.answer?.value ?? 0) after "
                + "\(history.count { ($0.answer?.time ?? .max) < end }) operations; the last with times in µs: "
                + words.joined(separator: "; ")
        }
    }
}

/// The operations of several processes on registers, by register.
public struct RegisterHistories: Sendable {
    public private(set) var byRegister: [Int: [RecordedOperation]] = [:]

    public init() {}

    /// Adds the acknowledgements of a process: a “call” with register, time and operation, then its “answer” with value
    /// and time, if there was one.
    public mutating func add(_ lines: [Acknowledgement]) {
        var open: (register: Int, operation: RegisterOperation, time: UInt64)?
        for line in lines where line.numbers.count == 2 {
            if line.word == "call", let operation = RegisterSpelling.operation(line.text ?? "") {
                open = (line.numbers[0], operation, UInt64(line.numbers[1]))
            } else if line.word == "answer", let call = open {
                let answer = RecordedOperation.Answer(line.numbers[0], at: UInt64(line.numbers[1]))
                byRegister[call.register, default: []].append(
                    RecordedOperation(call.operation, called: call.time, answer: answer))
                open = nil
            }
        }
        if let call = open {
            byRegister[call.register, default: []].append(
                RecordedOperation(call.operation, called: call.time, answer: nil))
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

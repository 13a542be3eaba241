/// What several processes have done to registers, sorted by register.
public struct RegisterHistories: Sendable {
    public private(set) var byRegister: [Int: [RecordedOperation]] = [:]

    public init() {}

    /// Adds what one process has acknowledged: a “call” with register, time and operation, then its “answer” with value
    /// and time, if it was given one.
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

    /// The registers whose history no order explains.
    public var unexplained: [Int] {
        byRegister.filter { !LinearizabilityChecker($0.value).isLinearizable }.keys.sorted()
    }
}

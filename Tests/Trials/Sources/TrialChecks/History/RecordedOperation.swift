/// An operation with the time of its call and its answer.
public struct RecordedOperation: Sendable, Hashable {
    public var operation: RegisterOperation
    public var called: UInt64
    /// `nil` if the process was killed before the answer: the operation may take effect at any later moment, or never.
    public var answer: Answer?

    public struct Answer: Sendable, Hashable {
        public var value: Int
        public var time: UInt64

        public init(_ value: Int, at time: UInt64) {
            self.value = value
            self.time = time
        }
    }

    public init(_ operation: RegisterOperation, called: UInt64, answer: Answer?) {
        self.operation = operation
        self.called = called
        self.answer = answer
    }
}

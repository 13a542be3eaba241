public import Settle

/// A call that a ``RecordingStorage`` has seen, with how it ended.
public struct StorageCall: Sendable, Hashable {
    public enum Operation: Sendable, Hashable {
        case load
        case append(StorageBatch, StorageDurability)
        case checkpoint(CheckpointMoment)
        case close
    }

    public var operation: Operation
    /// What the call threw, if it threw.
    public var error: StorageError?

    public init(_ operation: Operation, error: StorageError? = nil) {
        self.operation = operation
        self.error = error
    }
}

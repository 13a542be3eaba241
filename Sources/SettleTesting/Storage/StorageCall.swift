public import Settle

/// A call recorded by a ``RecordingStorage``, and how it ended.
public struct StorageCall: Sendable, Hashable {
    public enum Operation: Sendable, Hashable {
        case load
        case append(StorageBatch, StorageDurability)
        case checkpoint(CheckpointReason)
        case close
    }

    public var operation: Operation
    /// The error that the call threw, if any.
    public var error: StorageError?

    public init(_ operation: Operation, error: StorageError? = nil) {
        self.operation = operation
        self.error = error
    }
}

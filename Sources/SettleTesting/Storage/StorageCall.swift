public import Settle

/// A call recorded by a ``RecordingStorage``, and how it ended.
public struct StorageCall: Sendable, Hashable {
    /// What was called, with its parameters.
    public enum Operation: Sendable, Hashable {
        case load
        case append(StorageBatch, StorageDurability)
        case checkpoint(CheckpointReason)
        case keep([SettingKey: SettingValue?])
        case keepPrivate
        case changes(after: StoragePosition)
        case watch
        case lockForTransaction
        /// A named lock was asked for.
        case tryLock(String)
        case renew(StorageLease)
        case unlock(StorageLease)
        case close
    }

    public var operation: Operation
    /// The error that the call threw, if any.
    public var error: StorageError?

    public init(_ operation: Operation, error: StorageError? = nil) {
        self.operation = operation
        self.error = error
    }

    /// Whether the call stores something or makes it durable: an append, a checkpoint, or values to be kept.
    public var isSave: Bool {
        switch operation {
        case .append, .checkpoint, .keep: true
        default: false
        }
    }
}

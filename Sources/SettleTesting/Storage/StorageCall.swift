public import Settle

/// A call recorded by a ``RecordingStorage``, and how it ended.
public struct StorageCall: Sendable, Hashable {
    /// The called function, with its parameters.
    public enum Operation: Sendable, Hashable {
        /// `load()`
        case load
        /// `append(_:durability:)`
        case append(StorageBatch, StorageDurability)
        /// `checkpoint(_:for:)`, without the values
        case checkpoint(CheckpointReason)
        /// `keep(_:)`
        case keep([SettingKey: SettingValue?])
        /// `keepPrivate()`
        case keepPrivate
        /// `changes(after:)`
        case changes(after: StoragePosition)
        /// `watch(_:)`
        case watch
        /// `lockForTransaction()`
        case lockForTransaction
        /// `tryLock(named:)`
        case tryLock(String)
        /// `renew(_:)`
        case renew(StorageLease)
        /// `unlock(_:)`, of either lock
        case unlock(StorageLease)
        /// `close()`
        case close
    }

    /// The call and its parameters.
    public var operation: Operation
    /// The error that the call threw, if any.
    public var error: StorageError?

    /// Creates a call to compare with recorded ones; by default one that has not failed.
    public init(_ operation: Operation, error: StorageError? = nil) {
        self.operation = operation
        self.error = error
    }

    /// Whether the call stores something or makes it durable: an append, a checkpoint, or a call to keep values.
    public var isSave: Bool {
        switch operation {
        case .append, .checkpoint, .keep: true
        default: false
        }
    }
}

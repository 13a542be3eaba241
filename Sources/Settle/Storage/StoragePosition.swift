/// A place in the order in which a storage has stored batches, as a text whose meaning only the storage knows.
///
/// Two equal positions of one storage have the same values.
public struct StoragePosition: Sendable, Hashable, Codable, LosslessStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }

    /// A position that is a number, such as a server's revision.
    public init(_ number: UInt64) {
        self.init(String(number))
    }
}

/// What a storage may be asked to store at most. `nil` is no limit.
///
/// A transaction with more keys than fit is refused before anything is stored, and so is a larger value.
public struct StorageLimits: Sendable, Hashable {
    /// How many keys a batch may have.
    public var keys: Int?
    /// How many bytes the values of a batch may have, as an estimate of their encoded size.
    public var bytes: Int?
    /// How long a call may take before it throws.
    public var time: Duration?

    public init(keys: Int? = nil, bytes: Int? = nil, time: Duration? = nil) {
        self.keys = keys
        self.bytes = bytes
        self.time = time
    }
}

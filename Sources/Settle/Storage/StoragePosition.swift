/// A place in the order in which a storage has stored batches, as a text whose meaning only the storage knows.
///
/// Two equal positions of one storage have the same values.
public struct StoragePosition: Sendable, Hashable, Codable, LosslessStringConvertible {
    public let description: String

    /// A position as the storage spells it.
    public init(_ description: String) {
        self.description = description
    }

    /// A position that is a number, such as a server's revision.
    public init(_ number: UInt64) {
        self.init(String(number))
    }
}

/// What a storage can store at once. `nil` is no limit.
///
/// An `update` or `commit` that writes more keys is refused before anything changes, and a value with more bytes is
/// refused as one that can't be saved. Values that wait to be saved are stored in several batches if they have to be;
/// what one transaction has written stays in one of them.
public struct StorageLimits: Sendable, Hashable {
    /// How many keys a batch may have.
    public var keys: Int?
    /// How many bytes the values of a batch may have, as an estimate of their encoded size.
    public var bytes: Int?

    /// Creates limits; by default none.
    public init(keys: Int? = nil, bytes: Int? = nil) {
        self.keys = keys
        self.bytes = bytes
    }
}

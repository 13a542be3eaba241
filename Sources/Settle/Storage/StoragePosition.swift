/// A place in the order in which a storage has stored batches, as a text whose meaning only the storage knows.
///
/// Two equal positions of one storage have the same values.
public struct StoragePosition: Sendable, Hashable, Codable, LosslessStringConvertible {
    private enum Content: Hashable {
        case number(UInt64)
        case text(String)
    }

    private let content: Content

    /// A position that a storage has described as a text.
    public init(_ description: String) {
        // One that is a number is the same, however it was made.
        let number = UInt64(description)
        content = number.map { String($0) == description ? .number($0) : .text(description) } ?? .text(description)
    }

    /// A position that is a number, such as a server's revision.
    public init(_ number: UInt64) {
        content = .number(number)
    }

    /// The text; decimal digits for a number.
    public var description: String {
        switch content {
        case .number(let number): String(number)
        case .text(let text): text
        }
    }

    /// The number, if the position is one.
    public var number: UInt64? {
        if case .number(let number) = content { number } else { nil }
    }

    /// Reads the text.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
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

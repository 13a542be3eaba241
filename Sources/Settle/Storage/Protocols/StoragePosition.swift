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

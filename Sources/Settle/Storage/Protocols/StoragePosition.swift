/// A position in the order in which a storage has stored batches, as a text whose meaning only the storage knows.
///
/// If two positions of one storage are equal, so are its values there.
public struct StoragePosition: Sendable, Hashable, Codable, LosslessStringConvertible {
    private enum Content: Hashable {
        case number(UInt64)
        case text(String)
    }

    private let content: Content

    /// Creates a position from the text that a storage has given it.
    public init(_ description: String) {
        // A number is the same position in both forms.
        let number = UInt64(description)
        content = number.map { String($0) == description ? .number($0) : .text(description) } ?? .text(description)
    }

    /// Creates a position from a number, such as a server's revision.
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

    /// Decodes the text.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

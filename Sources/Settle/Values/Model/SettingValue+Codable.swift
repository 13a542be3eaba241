#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingValue: Codable {
    /// Decodes a value that ``encode(to:)`` has encoded, or any other plain value.
    ///
    /// A coder for JSON does not show whether `1` was written for a whole number or a fraction: it is an integer here.
    /// A date and data are decoded as the strings that JSON has for them.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: AnyKey.self) {
            var entries = Entries(minimumCapacity: container.allKeys.count)
            for key in container.allKeys {
                entries[key.stringValue] = try container.decode(SettingValue.self, forKey: key)
            }
            self = .dictionary(entries)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [SettingValue] = []
            while !container.isAtEnd { elements.append(try container.decode(SettingValue.self)) }
            self = .array(elements)
        } else {
            self = try Self.scalar(decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> SettingValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        if let value = try? container.decode(UInt64.self) { return .number(String(value)) }
        if let value = try? container.decode(Double.self) { return .real(value) }
        return .string(try container.decode(String.self))
    }

    /// Writes the value as JSON would spell it: dates as ISO 8601 strings, data as base64 strings.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .dictionary(let entries):
            var container = encoder.container(keyedBy: AnyKey.self)
            for (name, value) in entries { try container.encode(value, forKey: AnyKey(stringValue: name)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            try encodeScalar(into: &container)
        }
    }

    private func encodeScalar(into container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .null, .array, .dictionary: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .string(let text): try container.encode(text)
        case .date(let date):
            // Years that don't fit into four digits can't be spelled as text.
            guard let text = Timestamp(date)?.iso8601 else { return try container.encode(date.timeIntervalSince1970) }
            try container.encode(text)
        case .data(let data): try container.encode(data.base64EncodedString())
        case .number(let literal):
            if let whole = UInt64(literal) { try container.encode(whole) } else { try container.encode(literal) }
        }
    }
}

extension SettingValue: DirectSettingValue {
    static var shape: ValueShape { .any }

    init(settingValue: SettingValue) { self = settingValue }

    func settingValue() -> SettingValue { self }
}

private struct AnyKey: CodingKey {
    let stringValue: String

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }

    var intValue: Int? { nil }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Any encoder preserves a transaction exactly: values are encoded as their ``SettingValue/bytes``. Properties with
/// their default are left out.
extension StoredTransaction: Codable {
    private enum CodingKeys: String, CodingKey {
        case time, author, origin, undone, reason, count, mutations, isOwners
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let origin = ValueOrigin(rawValue: try container.decode(String.self, forKey: .origin)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .origin, in: container, debugDescription: "This is not the origin of a value.")
        }
        let count = try container.decodeIfPresent(UInt64.self, forKey: .count) ?? 1
        guard count > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .count, in: container, debugDescription: "This stands for no transaction.")
        }
        self.init(
            time: try container.decode(Double.self, forKey: .time),
            author: try container.decodeIfPresent(TransactionAuthor.self, forKey: .author) ?? TransactionAuthor(),
            origin: origin, undone: try container.decodeIfPresent(ChangeToken.self, forKey: .undone),
            reason: try container.decodeIfPresent(String.self, forKey: .reason),
            count: count,
            mutations: try container.decodeIfPresent([StoredMutation].self, forKey: .mutations))
        isOwners = try container.decodeIfPresent(Bool.self, forKey: .isOwners) ?? false
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(time, forKey: .time)
        if author != TransactionAuthor() { try container.encode(author, forKey: .author) }
        try container.encode(origin.rawValue, forKey: .origin)
        try container.encodeIfPresent(undone, forKey: .undone)
        try container.encodeIfPresent(reason, forKey: .reason)
        if count != 1 { try container.encode(count, forKey: .count) }
        try container.encodeIfPresent(mutations, forKey: .mutations)
        if isOwners { try container.encode(true, forKey: .isOwners) }
    }
}

/// Any encoder preserves a mutation exactly: values are encoded as their ``SettingValue/bytes``.
extension StoredMutation: Codable {
    private enum CodingKeys: String, CodingKey {
        case key, old, new, isWithheld
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            key: try container.decodeSettingKey(forKey: .key),
            oldValue: try container.decodeSettingValue(forKey: .old),
            newValue: try container.decodeSettingValue(forKey: .new))
        isWithheld = try container.decodeIfPresent(Bool.self, forKey: .isWithheld) ?? false
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(key.description, forKey: .key)
        try container.encodeBytes(of: oldValue, forKey: .old)
        try container.encodeBytes(of: newValue, forKey: .new)
        if isWithheld { try container.encode(true, forKey: .isWithheld) }
    }
}

extension KeyedDecodingContainer {
    /// Decodes a key, which may have empty names.
    func decodeSettingKey(forKey key: Key) throws -> SettingKey {
        SettingKey(stored: try decode(String.self, forKey: key))
    }

    /// Decodes what ``KeyedEncodingContainer/encodeBytes(of:forKey:)`` has written.
    func decodeSettingValue(forKey key: Key) throws -> SettingValue? {
        try decodeIfPresent(Data.self, forKey: key).map { try SettingValue(bytes: $0) }
    }
}

extension KeyedEncodingContainer {
    /// Encodes a value as bytes, which lose nothing. For `nil` it writes nothing.
    mutating func encodeBytes(of value: SettingValue?, forKey key: Key) throws {
        try encodeIfPresent(value.map { Data($0.bytes) }, forKey: key)
    }
}

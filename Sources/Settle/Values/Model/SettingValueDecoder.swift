/// Decodes `Decodable` values from ``SettingValue``s, as ``SettingValueEncoder`` spells them.
package struct SettingValueDecoder {
    package var userInfo: [CodingUserInfoKey: Any] = [:]

    package init() {}

    package func decode<Value: Decodable>(
        _ type: Value.Type, from value: SettingValue
    ) throws(SettingCodingError) -> Value {
        try decode(type, from: value, nil)
    }

    /// - Parameter trace: Provides missing fields, and records what the type asks for.
    func decode<Value: Decodable>(
        _ type: Value.Type, from value: SettingValue, _ trace: DecodingTrace?
    ) throws(SettingCodingError) -> Value {
        do {
            return try TreeDecoder(value: value, codingPath: [], userInfo: userInfo, trace: trace).decode(type)
        } catch let error as SettingCodingError {
            throw error
        } catch let error as DecodingError {
            throw SettingCodingError(error, expected: type)
        } catch {
            throw SettingCodingError(expected: "a valid \(type)", found: "an invalid one: \(error)")
        }
    }
}

extension SettingCodingError {
    /// Converts a `DecodingError`. Those thrown by the decoder itself carry the original error.
    fileprivate init(_ error: DecodingError, expected type: Any.Type) {
        let context: DecodingError.Context? =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context
            @unknown default: nil
            }
        if let meant = context?.underlyingError as? SettingCodingError {
            self = meant
        } else {
            self.init(
                path: context?.codingPath.map(\.stringValue) ?? [], expected: "a valid \(type)",
                found: "an invalid one: \(context?.debugDescription ?? "\(error)")")
        }
    }
}

/// Throws `DecodingError`s, because `init(from:)` implementations catch these to try alternatives.
private struct TreeDecoder: Decoder {
    let value: SettingValue
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]
    let trace: DecodingTrace?

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let direct = directType(type), let value = try decode(direct) as? Value { return value }
        if let trace, type is any UnorderedCollection.Type { trace.beginCollection() }
        do {
            return try type.init(from: self)
        } catch {
            // List the accepted values in the error.
            guard let cases = spelledCases(of: type) else { throw error }
            throw mismatch(
                type, SettingCodingError(expected: "one of \(cases.joined(separator: ", "))", found: value))
        }
    }

    private func decode(_ type: any DirectSettingValue.Type) throws -> any DirectSettingValue {
        do throws(SettingCodingError) {
            return try type.init(settingValue: value)
        } catch {
            throw mismatch(type, error)
        }
    }

    private func mismatch(_ type: Any.Type, _ error: SettingCodingError) -> DecodingError {
        let located = error.below(codingPath.map(\.stringValue))
        return .typeMismatch(
            type, .init(codingPath: codingPath, debugDescription: "\(located)", underlyingError: located))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .dictionary(let entries) = value else {
            throw mismatch([String: Any].self, SettingCodingError(expected: "a dictionary", found: value))
        }
        trace?.beginFields()
        return KeyedDecodingContainer(KeyedEntries(decoder: self, entries: entries))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else {
            throw mismatch([Any].self, SettingCodingError(expected: "an array", found: value))
        }
        return UnkeyedElements(decoder: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleValue(decoder: self) }

    func decoder(of value: SettingValue, _ key: any CodingKey, _ trace: DecodingTrace?) -> TreeDecoder {
        TreeDecoder(value: value, codingPath: codingPath + [key], userInfo: userInfo, trace: trace)
    }
}

private struct KeyedEntries<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: TreeDecoder
    let entries: SettingValue.Entries

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] {
        let keys = entries.keys.sorted().compactMap(Key.init(stringValue:))
        for key in keys { decoder.trace?.ask(for: key.stringValue) }
        return keys
    }

    /// Without the defaults: a type that asks has an answer for a missing field, and absence is how `nil` is stored.
    func contains(_ key: Key) -> Bool { entry(key.stringValue) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try child(key).value == .null }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try child(key).decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try child(key).unkeyedContainer()
    }

    /// `null` if there is none, as with other decoders: a superclass may have encoded nothing.
    func superDecoder() -> any Decoder {
        find(SuperKey()) ?? decoder.decoder(of: .null, SuperKey(), nil)
    }

    func superDecoder(forKey key: Key) -> any Decoder {
        find(key) ?? decoder.decoder(of: .null, key, nil)
    }

    private func entry(_ name: String) -> SettingValue? {
        guard let entry = entries[name] else { return nil }
        decoder.trace?.ask(for: name)
        return entry
    }

    private func find(_ key: some CodingKey) -> TreeDecoder? {
        let name = key.stringValue
        if let entry = entry(name) { return decoder.decoder(of: entry, key, decoder.trace?.field(name, entry)) }
        return decoder.trace?.defaultValue(of: name).map { decoder.decoder(of: $0, key, nil) }
    }

    private func child(_ key: Key) throws -> TreeDecoder {
        guard let found = find(key) else {
            decoder.trace?.miss()
            let error = SettingCodingError(
                path: codingPath.map(\.stringValue), expected: "a value for “\(key.stringValue)”", found: "none")
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "\(error)", underlyingError: error))
        }
        return found
    }
}

private struct UnkeyedElements: UnkeyedDecodingContainer {
    let decoder: TreeDecoder
    let elements: [SettingValue]
    private(set) var currentIndex = 0

    init(decoder: TreeDecoder, elements: [SettingValue]) {
        self.decoder = decoder
        self.elements = elements
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try current().value == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.decode(type) } }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }

    /// Moves past the current element, unless it can't be read: then another attempt may follow.
    private mutating func next<Result>(_ read: (TreeDecoder) throws -> Result) throws -> Result {
        let result = try read(try current())
        currentIndex += 1
        return result
    }

    private func current() throws -> TreeDecoder {
        guard !isAtEnd else {
            let error = SettingCodingError(
                path: codingPath.map(\.stringValue), expected: "more than \(elements.count) elements", found: "no more")
            throw DecodingError.valueNotFound(
                Any.self, .init(codingPath: codingPath, debugDescription: "\(error)", underlyingError: error))
        }
        let element = elements[currentIndex]
        let trace = decoder.trace?.element(currentIndex, element)
        return decoder.decoder(of: element, PositionKey(currentIndex), trace)
    }
}

private struct SingleValue: SingleValueDecodingContainer {
    let decoder: TreeDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value == .null }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
}

/// A conversion of a setting's value to a ``SettingValue`` and back.
///
/// A value that can't be converted is an error, never a silent loss: the error is a ``SettingCodingError``.
public struct SettingCodec<Value: Sendable>: Sendable {
    /// Converts a value for saving. Throws a ``SettingCodingError`` if that is impossible.
    public let encode: @Sendable (Value) throws -> SettingValue
    /// Converts a stored value back. Throws a ``SettingCodingError`` if it has another form or type.
    public let decode: @Sendable (SettingValue) throws -> Value
    /// Set for a type that may have fields, and so may lack stored ones, or have others.
    let decodeFields: (@Sendable (SettingValue, DefaultValue) throws -> (Value, UnknownFields?))?
    /// The rule for the values that can be encoded; `nil` if all can, or if only the attempt shows it.
    let storable: StorableRule<Value>?

    typealias DefaultValue = () -> Value

    /// Creates a codec. Both closures may run on any thread, and must undo each other.
    public init(
        encode: @escaping @Sendable (Value) throws -> SettingValue,
        decode: @escaping @Sendable (SettingValue) throws -> Value
    ) {
        self.init(encode: encode, decode: decode, decodeFields: nil)
    }

    fileprivate init(
        encode: @escaping @Sendable (Value) throws -> SettingValue,
        decode: @escaping @Sendable (SettingValue) throws -> Value,
        decodeFields: (@Sendable (SettingValue, DefaultValue) throws -> (Value, UnknownFields?))?,
        storable: StorableRule<Value>? = nil
    ) {
        self.encode = encode
        self.decode = decode
        self.decodeFields = decodeFields
        self.storable = storable
    }

    /// Converts a stored value back, and reports which of its fields the type does not know.
    ///
    /// - Parameter defaultValue: Provides the fields that are not stored and that the type requires.
    func decode(_ value: SettingValue, orFrom defaultValue: DefaultValue) throws -> (Value, UnknownFields?) {
        guard let decodeFields else { return (try decode(value), nil) }
        return try decodeFields(value, defaultValue)
    }
}

extension SettingCodec where Value: Codable {
    /// The codec of a setting that does not name another one.
    ///
    /// Booleans, numbers, strings, `Date`, `Data`, `URL`, `UUID`, `Duration`, and optionals, arrays, sets and
    /// string-keyed dictionaries of these have spellings of their own. Everything else is converted by `Codable`, with
    /// the same spellings for every part of the value. `nil` becomes ``SettingValue/null``, and a set a sorted array.
    ///
    /// Conversions are exact or refused with a ``SettingCodingError``: a number outside the type's range, a fraction
    /// for an integer, or a string for a number is an error.
    public static var standard: SettingCodec {
        if let type = directType(Value.self), let codec = direct(type, Value.self) {
            return codec
        }
        return SettingCodec(
            encode: { try SettingValueEncoder().encode($0) },
            decode: { try SettingValueDecoder().decode(Value.self, from: $0) },
            decodeFields: decodeFields)
    }

    @Sendable
    private static func decodeFields(
        _ value: SettingValue, orFrom defaultValue: DefaultValue
    ) throws -> (Value, UnknownFields?) {
        var trace = DecodingTrace()
        let decoded: Value
        do {
            decoded = try SettingValueDecoder().decode(Value.self, from: value, trace)
        } catch {
            // Only now: a type that tries several forms would find the first one complete with a default.
            guard trace.hasGaps, let defaults = try? SettingValueEncoder().encode(defaultValue()) else { throw error }
            trace = DecodingTrace(defaults: defaults)
            decoded = try SettingValueDecoder().decode(Value.self, from: value, trace)
        }
        return (decoded, trace.unknownFields(in: value) { try SettingValueEncoder().encode(decoded) })
    }
}

/// The cast succeeds if both types are the same, which only the caller knows.
private func direct<Direct: DirectSettingValue, Value: Sendable>(
    _ type: Direct.Type, _: Value.Type
) -> SettingCodec<Value>? {
    let codec = SettingCodec<Direct>(
        encode: { value in try value.settingValue() },
        decode: { value in try Direct(settingValue: value) }, decodeFields: nil,
        storable: Direct.storableRule.map { StorableRule(words: $0) { value in value.isStorable } })
    return codec as? SettingCodec<Value>
}

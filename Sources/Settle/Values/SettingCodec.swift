/// A conversion of a setting's value to a ``SettingValue`` and back.
///
/// A value that can't be converted is an error, never a silent loss: the error is a ``SettingCodingError``.
public struct SettingCodec<Value: Sendable>: Sendable {
    public let encode: @Sendable (Value) throws -> SettingValue
    public let decode: @Sendable (SettingValue) throws -> Value

    public init(
        encode: @escaping @Sendable (Value) throws -> SettingValue,
        decode: @escaping @Sendable (SettingValue) throws -> Value
    ) {
        self.encode = encode
        self.decode = decode
    }
}

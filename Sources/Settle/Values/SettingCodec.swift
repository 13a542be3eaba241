/// A conversion of a setting's value to a ``SettingValue`` and back.
///
/// A value that can't be converted is an error, never a silent loss: the error is a ``SettingCodingError``.
public struct SettingCodec<Value: Sendable>: Sendable {
    /// Converts a value for saving. Throws a ``SettingCodingError`` if that is impossible.
    public let encode: @Sendable (Value) throws -> SettingValue
    /// Converts a stored value back. Throws a ``SettingCodingError`` if it has another form or type.
    public let decode: @Sendable (SettingValue) throws -> Value

    /// Creates a codec. Both closures may run on any thread, and must undo each other.
    public init(
        encode: @escaping @Sendable (Value) throws -> SettingValue,
        decode: @escaping @Sendable (SettingValue) throws -> Value
    ) {
        self.encode = encode
        self.decode = decode
    }
}

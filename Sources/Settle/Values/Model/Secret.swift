#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value that is never shown, such as a token, for apps that need no ``SecretValue`` type of their own.
///
/// ```swift
/// struct AccountSettings: SettingsGroup {
///     @Setting var token: Secret<String>?
/// }
///
/// settings.token = Secret("…")
/// request.authorize(with: settings.token?.revealed)
/// ```
///
/// It is stored like the value itself, readable by everything that can read the file: settings files are accessible to
/// their owner alone, but not encrypted. In descriptions, `dump` and reflection it is "••••".
///
/// Two secrets of strings, of data or of bytes are compared byte by byte, without stopping at a difference, so that the
/// time reveals only their lengths, as far as the compiler guarantees it. Composed and decomposed characters differ.
/// Other types are compared by their own `==`, which may stop at the first difference.
public struct Secret<Value: Codable & Sendable & Equatable>: SecretValue, Sendable {
    /// The value itself. Nothing protects it from being shown.
    public let revealed: Value

    /// Wraps a value that must not be shown.
    public init(_ value: Value) {
        revealed = value
    }
}

extension Secret: Equatable {
    public static func == (lhs: Secret, rhs: Secret) -> Bool {
        switch (lhs.revealed, rhs.revealed) {
        case let (left as String, right as String): left.utf8.hasEqualBytes(as: right.utf8)
        case let (left as Data, right as Data): left.hasEqualBytes(as: right)
        case let (left as [UInt8], right as [UInt8]): left.hasEqualBytes(as: right)
        default: lhs.revealed == rhs.revealed
        }
    }
}

// Not of `Secret`: the compiler specializes it for its bytes only where it does not depend on the type of the value.
extension Collection<UInt8> {
    /// Compares all bytes, even after a difference.
    fileprivate func hasEqualBytes(as other: Self) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(self, other) { difference |= left ^ right }
        return difference == 0
    }
}

extension Secret: Codable {
    // A coder's errors may quote the value, so they are not passed on.

    public init(from decoder: any Decoder) throws {
        guard let value = try? decoder.singleValueContainer().decode(Value.self) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "the stored secret is not of type \(spelling(of: Value.self))"))
        }
        self.init(value)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        do {
            try container.encode(revealed)
        } catch {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription: "the secret, of type \(spelling(of: Value.self)), can't be encoded"))
        }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { redaction }
    public var debugDescription: String { redaction }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A type whose values are never shown, such as a token or a verifier.
///
/// ```swift
/// struct Verifier: SecretValue, Codable, Equatable {
///     var salt: Data
///     var hash: Data
/// }
/// ```
///
/// A setting of such a type is a secret: its value, or a part of it, or a coder's message about it is never shown by a
/// ``SettingsError``, an issue, the description of a ``Mutation`` or a ``SettingInfo``. Optionals, arrays, sets and
/// dictionaries of secrets are secrets too, but the keys of a dictionary may be shown. ``Secret`` makes a secret of any
/// value.
///
/// Only the setting's own type counts. A struct that merely contains a secret has to conform itself, or errors about it
/// may show its stored value. So may errors about keys that no group of the store has declared yet. Code that asks for
/// the value gets it: as a property, in ``Mutation/newValue``, or by key; and a storage gets it to store it.
public protocol SecretValue {}

extension Optional: SecretValue where Wrapped: SecretValue {}
extension Array: SecretValue where Element: SecretValue {}
extension Set: SecretValue where Element: SecretValue {}
extension Dictionary: SecretValue where Value: SecretValue {}

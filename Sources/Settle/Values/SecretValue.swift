/// A type whose values are never shown, such as a token or a verifier.
///
/// ```swift
/// struct Verifier: SecretValue, Codable, Equatable {
///     var salt: Data
///     var hash: Data
/// }
/// ```
///
/// A setting of such a type is a secret: no ``SettingsError`` and no issue, no description of a ``Mutation`` and no
/// ``SettingInfo`` shows its value or a part of it, nor a coder's message about it. Optionals, arrays, sets and
/// dictionaries of secrets are secrets too, but the keys of a dictionary may be shown. ``Secret`` makes a secret of any
/// value.
///
/// Only the setting's own type counts. A struct that merely contains a secret has to conform itself, or errors about it
/// may show what is stored. So may errors about keys that no group of the store has declared yet. Code that asks for
/// the value gets it: as a property, in ``Mutation/newValue``, or by key; and a storage gets it to store it.
public protocol SecretValue {}

extension Optional: SecretValue where Wrapped: SecretValue {}
extension Array: SecretValue where Element: SecretValue {}
extension Set: SecretValue where Element: SecretValue {}
extension Dictionary: SecretValue where Value: SecretValue {}

/// The replacement for a secret.
let redaction = "••••"

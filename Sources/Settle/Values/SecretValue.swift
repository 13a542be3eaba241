/// A type whose values are not to be shown, such as a token or a verifier.
///
/// A setting of such a type is a secret: listings leave its value out. Optionals, arrays, sets and dictionaries of secrets
/// are secrets too.
///
/// ```swift
/// struct APIToken: SecretValue, Codable, Equatable {
///     var text: String
/// }
/// ```
///
/// It is the setting's own type that counts. A struct that only has a secret inside has to conform itself.
public protocol SecretValue {}

extension Optional: SecretValue where Wrapped: SecretValue {}
extension Array: SecretValue where Element: SecretValue {}
extension Set: SecretValue where Element: SecretValue {}
extension Dictionary: SecretValue where Value: SecretValue {}

/// What stands in the place of a secret.
let redaction = "••••"

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value that is never shown, such as a token, beside an app's own ``SecretValue`` types.
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
/// It is stored as its value is, and whoever may read the file sees it there: settings files are for their owner alone, and not
/// encrypted. In descriptions, `dump` and reflection it is "••••".
///
/// Two secrets of strings, of data or of bytes are compared byte by byte, without stopping at a difference, so that the time tells
/// nothing but their lengths, as far as the compiler can be trusted with that. Composed and decomposed characters differ. Other
/// types are compared by their own `==`, which may stop at the first difference.
public struct Secret<Value: Codable & Sendable & Equatable>: SecretValue, Sendable {
    /// The value itself. Whatever is done with it shows it.
    public let revealed: Value

    public init(_ value: Value) {
        revealed = value
    }
}

extension Secret: Equatable {
    public static func == (lhs: Secret, rhs: Secret) -> Bool {
        switch (lhs.revealed, rhs.revealed) {
        case let (left as String, right as String): haveEqualBytes(left.utf8, right.utf8)
        case let (left as Data, right as Data): haveEqualBytes(left, right)
        case let (left as [UInt8], right as [UInt8]): haveEqualBytes(left, right)
        default: lhs.revealed == rhs.revealed
        }
    }

    /// Looks at all bytes, also after a difference.
    private static func haveEqualBytes(_ lhs: some Collection<UInt8>, _ rhs: some Collection<UInt8>) -> Bool {
        guard lhs.count == rhs.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(lhs, rhs) { difference |= left ^ right }
        return difference == 0
    }
}

extension Secret: Codable {
    // Errors of a coder may quote the value, so they go no further.

    public init(from decoder: any Decoder) throws {
        guard let value = try? decoder.singleValueContainer().decode(Value.self) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "the secret that is stored there is no \(spelling(of: Value.self))"))
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

import Crypto
import Foundation

/// A passcode as it was typed. It can't be printed or encoded, and its bytes are wiped from memory when it is released.
///
/// It is UTF-8 in Normalization Form C, as NIST SP 800-63B-4 (section 3.1.1.2) asks for: “é” is the same whether a
/// keyboard sends it as one character or as two. Bytes that are not UTF-8 are rejected, never repaired.
public struct Passcode: Sendable {
    // A key wipes its memory, and compares in constant time.
    private let key: SymmetricKey
    /// In characters.
    let length: Int

    /// - Throws: ``PasscodeError`` if the text can't be a passcode. That does not count as a guess.
    public init(_ text: String) throws(PasscodeError) {
        var text = text
        self = try text.withUTF8 { bytes in
            Result { () throws(PasscodeError) in try Passcode(utf8: UnsafeRawBufferPointer(bytes)) }
        }.get()
    }

    /// - Parameter bytes: What was typed. The caller wipes it.
    /// - Throws: ``PasscodeError`` if the bytes can't be a passcode. That does not count as a guess.
    public init(utf8 bytes: UnsafeRawBufferPointer) throws(PasscodeError) {
        // A longer one would only slow the derivation down, which an attacker could use.
        guard bytes.count <= Self.maximumSize else { throw .tooLong }
        if bytes.allSatisfy({ $0 < 0x80 }) {
            // Normalized already. It is not made into a string, whose memory can't be wiped.
            guard bytes.count >= Self.minimumLength else { throw .tooShort(minimum: Self.minimumLength) }
            guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .controlCharacter }
            key = SymmetricKey(data: bytes)
            length = bytes.count
        } else {
            var text = try Self.normalized(bytes)
            key = text.withUTF8 { SymmetricKey(data: UnsafeRawBufferPointer($0)) }
            length = text.count
        }
    }

    private static func normalized(_ bytes: UnsafeRawBufferPointer) throws(PasscodeError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        let categories = text.unicodeScalars.lazy.map(\.properties.generalCategory)
        // They are never intended: they come from an arrow key, a tab, or wrong input.
        guard !categories.contains(.control) else { throw .controlCharacter }
        // A later version of Unicode may normalize them differently, and lock their owner out.
        guard !categories.contains(.unassigned) else { throw .unassignedCharacter }
        let normal = text.precomposedStringWithCanonicalMapping
        guard normal.count >= minimumLength else { throw .tooShort(minimum: minimumLength) }
        guard normal.utf8.count <= maximumSize else { throw .tooLong }
        return normal
    }

    /// Whether both are equal, in constant time for passcodes of equal length.
    package func isSame(as other: Passcode) -> Bool {
        key == other.key
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try key.withUnsafeBytes(body)
    }

    /// In characters.
    public static let minimumLength = 4
    /// In bytes of UTF-8, before and after normalization.
    public static let maximumSize = 1_024
}

extension Passcode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "••••" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// Why a text can't be a passcode.
public enum PasscodeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It has fewer characters than every passcode has, or than a ``PasscodePolicy`` asks of a new one.
    case tooShort(minimum: Int)
    case tooLong, controlCharacter, unassignedCharacter, notUTF8

    public var description: String {
        switch self {
        case .tooShort(let minimum): "A passcode must have at least \(minimum) characters."
        case .tooLong: "A passcode must have at most \(Passcode.maximumSize) bytes."
        case .controlCharacter: "A passcode must not contain control characters, such as a tab or an arrow key."
        case .unassignedCharacter: "A passcode must not contain characters that Unicode has not assigned yet."
        case .notUTF8: "A passcode must be UTF-8, and this is not. Does the terminal send another encoding?"
        }
    }
}

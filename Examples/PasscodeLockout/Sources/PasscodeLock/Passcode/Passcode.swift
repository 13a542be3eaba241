import Crypto

/// A passcode as it was typed. It can't be printed or encoded, and its bytes are wiped from memory when it is released.
public struct Passcode: Sendable {
    // A key wipes its memory, and compares in constant time.
    private let key: SymmetricKey

    /// - Throws: ``PasscodeError`` if the text can't be a passcode. That does not count as a guess.
    public init(_ text: String) throws(PasscodeError) {
        guard text.count >= Self.minimumLength else { throw .tooShort }
        // A longer one would only slow the derivation down, which an attacker could use.
        guard text.utf8.count <= Self.maximumSize else { throw .tooLong }
        // They are never intended: they come from an arrow key, a tab, or wrong input.
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .controlCharacter
        }
        key = SymmetricKey(data: Array(text.utf8))
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
    /// In bytes of UTF-8.
    public static let maximumSize = 1_024
}

extension Passcode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "••••" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// Why a text can't be a passcode.
public enum PasscodeError: Error, Sendable, CustomStringConvertible {
    case tooShort, tooLong, controlCharacter

    public var description: String {
        switch self {
        case .tooShort: "A passcode has at least \(Passcode.minimumLength) characters."
        case .tooLong: "A passcode has at most \(Passcode.maximumSize) bytes."
        case .controlCharacter: "A passcode has no control characters, such as a tab or an arrow key."
        }
    }
}

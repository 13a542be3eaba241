import Crypto
public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What is stored in place of a passcode: enough to recognise it, slowly, and not to find it out quickly.
///
/// Whoever has it can try passcodes elsewhere, without any wait, so nothing shows it. It is not `Equatable`, because `==` on
/// keys would not take constant time.
public struct StoredVerifier: Sendable, Codable, SecretValue {
    /// Of the function that made `key`, such as `scrypt`.
    public var algorithm: String
    public var cost: ScryptCost
    /// Random, and another one for each passcode that is chosen.
    public var salt: Data
    public var key: Data

    public init(algorithm: String, cost: ScryptCost, salt: Data, key: Data) {
        self.algorithm = algorithm
        self.cost = cost
        self.salt = salt
        self.key = key
    }

    /// Whether both were made at one time for one passcode.
    func isSame(as other: StoredVerifier) -> Bool {
        SymmetricKey(data: salt) == SymmetricKey(data: other.salt)
            && SymmetricKey(data: key) == SymmetricKey(data: other.key)
    }
}

extension StoredVerifier: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "••••" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

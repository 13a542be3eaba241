import Crypto
public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What is stored instead of a passcode: enough to recognize it slowly, and too little to find it out quickly.
///
/// With it, passcodes can be tried elsewhere without any wait, so nothing shows it. It is not `Equatable`, because `==`
/// on keys would not take constant time.
public struct StoredVerifier: Sendable, Codable, SecretValue {
    /// The function that made `key`, such as `scrypt`.
    public var algorithm: String
    public var cost: ScryptCost
    /// Random, and new for each chosen passcode.
    public var salt: Data
    public var key: Data

    public init(algorithm: String, cost: ScryptCost, salt: Data, key: Data) {
        self.algorithm = algorithm
        self.cost = cost
        self.salt = salt
        self.key = key
    }

    /// Whether both were made at the same time for the same passcode.
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

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What is stored in place of a passcode: enough to recognise it, slowly, and not to find it out quickly.
///
/// Not `Equatable`, because `==` on keys would not take constant time.
public struct StoredVerifier: Sendable, Codable {
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
}

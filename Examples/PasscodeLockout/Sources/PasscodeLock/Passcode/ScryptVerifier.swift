import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A salted, slow verifier: scrypt, compared in constant time.
public struct ScryptVerifier: PasscodeVerifier {
    /// The cost of new verifiers. Each stored one names its own cost, so it may rise over the years.
    private let cost: ScryptCost

    public init(_ cost: ScryptCost = .standard) {
        self.cost = cost
    }

    // Not on the caller's actor, which has other work during a tenth of a second.
    @concurrent
    public func makeVerifier(for passcode: Passcode) async throws -> StoredVerifier {
        guard cost.isPossible else { throw VerifierError.unusable }
        guard cost.isBearable else { throw VerifierError.tooCostly }
        let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) }
        let key = try Self.derive(passcode, salt, cost)
        return StoredVerifier(
            algorithm: Self.name, cost: cost, salt: salt, key: key.withUnsafeBytes { Data($0) })
    }

    @concurrent
    public func verify(_ passcode: Passcode, against verifier: StoredVerifier) async throws -> Bool {
        if let error = Self.error(of: verifier) { throw error }
        let key = try Self.derive(passcode, verifier.salt, verifier.cost)
        // `SymmetricKey` compares in constant time.
        return key == SymmetricKey(data: verifier.key)
    }

    public func objection(to verifier: StoredVerifier) -> String? {
        Self.error(of: verifier)?.description
    }

    private static func error(of verifier: StoredVerifier) -> VerifierError? {
        guard verifier.algorithm == name, verifier.cost.isPossible, !verifier.salt.isEmpty,
            verifier.key.count == keySize
        else { return .unusable }
        return verifier.cost.isBearable ? nil : .tooCostly
    }

    private static let name = "scrypt"
    private static let keySize = 32

    private static func derive(_ passcode: Passcode, _ salt: Data, _ cost: ScryptCost) throws -> SymmetricKey {
        try passcode.withBytes { bytes in
            try KDF.Scrypt.deriveKey(
                from: bytes, salt: salt, outputByteCount: keySize, rounds: cost.rounds, blockSize: cost.blockSize,
                parallelism: cost.parallelism)
        }
    }
}

/// Why a stored verifier can't check a passcode.
public enum VerifierError: Error, Sendable, CustomStringConvertible {
    case unusable
    /// Its cost is more than a second's work.
    case tooCostly

    public var description: String {
        switch self {
        case .unusable: "The stored verifier is not from this program: its algorithm, cost, salt or key is impossible."
        case .tooCostly: "The stored verifier asks for more work than this program ever does for a guess."
        }
    }
}

import Foundation
import Synchronization

@testable import PasscodeLock

/// A fast verifier that counts, and runs a test's closure during each comparison.
final class TestVerifier: PasscodeVerifier {
    struct Failure: Error {}

    private struct State {
        var count = 0
        var isFailing = false
        var onVerify: @Sendable () async -> Void = {}
    }

    private let state = Mutex(State())

    /// The number of passcodes compared.
    var count: Int { state.withLock { $0.count } }

    /// Sets what happens during a comparison, before its outcome.
    func onVerify(_ action: @escaping @Sendable () async -> Void) {
        state.withLock { $0.onVerify = action }
    }

    func setFailing(_ isFailing: Bool) {
        state.withLock { $0.isFailing = isFailing }
    }

    func makeVerifier(for passcode: Passcode) async throws -> StoredVerifier {
        StoredVerifier(algorithm: "test", cost: ScryptCost(rounds: 2), salt: Data(), key: Self.key(of: passcode))
    }

    func verify(_ passcode: Passcode, against verifier: StoredVerifier) async throws -> Bool {
        let (onVerify, isFailing) = state.withLock { state in
            state.count += 1
            return (state.onVerify, state.isFailing)
        }
        await onVerify()
        if isFailing { throw Failure() }
        return verifier.key == Self.key(of: passcode)
    }

    private static func key(of passcode: Passcode) -> Data {
        passcode.withBytes { Data($0.reversed()) }
    }
}

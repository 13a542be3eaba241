/// Makes and checks what is stored instead of a passcode.
public protocol PasscodeVerifier: Sendable {
    func makeVerifier(for passcode: Passcode) async throws -> StoredVerifier
    /// Whether the verifier was made for this passcode. A throw counts as a wrong guess.
    func verify(_ passcode: Passcode, against verifier: StoredVerifier) async throws -> Bool
    /// Why a stored verifier can't check any passcode, as a sentence. It is asked before a try counts, so it does no
    /// work. By default there is no objection.
    func objection(to verifier: StoredVerifier) -> String?
}

extension PasscodeVerifier {
    public func objection(to verifier: StoredVerifier) -> String? { nil }
}

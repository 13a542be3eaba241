/// Makes and checks what is stored instead of a passcode.
public protocol PasscodeVerifier: Sendable {
    func makeVerifier(for passcode: Passcode) async throws -> StoredVerifier
    /// Whether the verifier was made for this passcode. A throw counts as a wrong guess.
    func verify(_ passcode: Passcode, against verifier: StoredVerifier) async throws -> Bool
}

/// Makes and checks what is stored in place of a passcode.
public protocol PasscodeVerifier: Sendable {
    func makeVerifier(for passcode: Passcode) async throws -> StoredVerifier
    /// Whether this is the passcode for which the verifier was made. A throw counts as a wrong guess.
    func verify(_ passcode: Passcode, against verifier: StoredVerifier) async throws -> Bool
}

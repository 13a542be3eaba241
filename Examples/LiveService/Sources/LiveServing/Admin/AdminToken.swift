import Hummingbird
import Settle

/// The token that a request presents.
struct AdminToken: Sendable {
    private let presented: Secret<String>

    /// `nil` if the request has no bearer token.
    init?(of request: Request) {
        let words = request.headers[.authorization]?.split(separator: " ") ?? []
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        presented = Secret(String(words[1]))
    }

    /// Whether this is the token that is set. Secrets are compared in a time that does not tell how much of it was right; an
    /// empty token is nobody's.
    func matches(_ token: Secret<String>) -> Bool {
        !token.revealed.isEmpty && presented == token
    }
}

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

    /// Whether this is the configured token. Secrets are compared in constant time; an empty token never matches.
    func matches(_ token: Secret<String>) -> Bool {
        !token.revealed.isEmpty && presented == token
    }
}
